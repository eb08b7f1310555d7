let three = Pack_a.add 1 2
module Inner = struct let seven = Pack_a.add three 4 end

(* Wrappers of functions with optional arguments are stubs: inlined wherever they are called, without a quota (S3). *)

let row = Measure.row
let f ?(a = 1) ?(b = 2) ?c x = (a * x) + b + match c with None -> 0 | Some c -> c

let before = Measure.words ()
let r0 = f ~a:0 0 let r1 = f ~b:1 1 let r2 = f ~c:2 2
let r3 = f ~a:3 ~c:2 3 let r4 = f ~a:4 4 let r5 = f ~b:5 5
let r6 = f ~c:6 6 let r7 = f ~a:7 ~c:2 7 let r8 = f ~a:8 8
let r9 = f ~b:9 9 let r10 = f ~c:10 10 let r11 = f ~a:11 ~c:2 11
let r12 = f ~a:12 12 let r13 = f ~b:13 13 let r14 = f ~c:14 14
let r15 = f ~a:15 ~c:2 15 let r16 = f ~a:16 16 let r17 = f ~b:17 17
let r18 = f ~c:18 18 let r19 = f ~a:19 ~c:2 19 let r20 = f ~a:20 20
let r21 = f ~b:21 21 let r22 = f ~c:22 22 let r23 = f ~a:23 ~c:2 23
let r24 = f ~a:24 24 let r25 = f ~b:25 25 let r26 = f ~c:26 26
let r27 = f ~a:27 ~c:2 27 let r28 = f ~a:28 28 let r29 = f ~b:29 29
let () = Measure.counted "S3 30 calls at the toplevel" before (r0 + r1 + r2 + r3 + r4 + r5 + r6 + r7 + r8 + r9 + r10 + r11 + r12 + r13 + r14 + r15 + r16 + r17 + r18 + r19 + r20 + r21 + r22 + r23 + r24 + r25 + r26 + r27 + r28 + r29)

let[@inline never] many x =
  0
  + f ~a:x (x + 0) + f ~b:1 (x + 1) + f ~c:x (x + 2) + f ~a:3 ~c:2 (x + 3) + f ~a:x ~b:3 ~c:4 (x + 4)
  + f ~a:x (x + 5) + f ~b:6 (x + 6) + f ~c:x (x + 7) + f ~a:8 ~c:2 (x + 8) + f ~a:x ~b:3 ~c:4 (x + 9)
  + f ~a:x (x + 10) + f ~b:11 (x + 11) + f ~c:x (x + 12) + f ~a:13 ~c:2 (x + 13) + f ~a:x ~b:3 ~c:4 (x + 14)
  + f ~a:x (x + 15) + f ~b:16 (x + 16) + f ~c:x (x + 17) + f ~a:18 ~c:2 (x + 18) + f ~a:x ~b:3 ~c:4 (x + 19)
  + f ~a:x (x + 20) + f ~b:21 (x + 21) + f ~c:x (x + 22) + f ~a:23 ~c:2 (x + 23) + f ~a:x ~b:3 ~c:4 (x + 24)
  + f ~a:x (x + 25) + f ~b:26 (x + 26) + f ~c:x (x + 27) + f ~a:28 ~c:2 (x + 28) + f ~a:x ~b:3 ~c:4 (x + 29)
  + f ~a:x (x + 30) + f ~b:31 (x + 31) + f ~c:x (x + 32) + f ~a:33 ~c:2 (x + 33) + f ~a:x ~b:3 ~c:4 (x + 34)
  + f ~a:x (x + 35) + f ~b:36 (x + 36) + f ~c:x (x + 37) + f ~a:38 ~c:2 (x + 38) + f ~a:x ~b:3 ~c:4 (x + 39)
  + f ~a:x (x + 40) + f ~b:41 (x + 41) + f ~c:x (x + 42) + f ~a:43 ~c:2 (x + 43) + f ~a:x ~b:3 ~c:4 (x + 44)
  + f ~a:x (x + 45) + f ~b:46 (x + 46) + f ~c:x (x + 47) + f ~a:48 ~c:2 (x + 48) + f ~a:x ~b:3 ~c:4 (x + 49)
  + f ~a:x (x + 50) + f ~b:51 (x + 51) + f ~c:x (x + 52) + f ~a:53 ~c:2 (x + 53) + f ~a:x ~b:3 ~c:4 (x + 54)
  + f ~a:x (x + 55) + f ~b:56 (x + 56) + f ~c:x (x + 57) + f ~a:58 ~c:2 (x + 58) + f ~a:x ~b:3 ~c:4 (x + 59)
  + f ~a:x (x + 60) + f ~b:61 (x + 61) + f ~c:x (x + 62) + f ~a:63 ~c:2 (x + 63) + f ~a:x ~b:3 ~c:4 (x + 64)
  + f ~a:x (x + 65) + f ~b:66 (x + 66) + f ~c:x (x + 67) + f ~a:68 ~c:2 (x + 68) + f ~a:x ~b:3 ~c:4 (x + 69)
  + f ~a:x (x + 70) + f ~b:71 (x + 71) + f ~c:x (x + 72) + f ~a:73 ~c:2 (x + 73) + f ~a:x ~b:3 ~c:4 (x + 74)
  + f ~a:x (x + 75) + f ~b:76 (x + 76) + f ~c:x (x + 77) + f ~a:78 ~c:2 (x + 78) + f ~a:x ~b:3 ~c:4 (x + 79)
  + f ~a:x (x + 80) + f ~b:81 (x + 81) + f ~c:x (x + 82) + f ~a:83 ~c:2 (x + 83) + f ~a:x ~b:3 ~c:4 (x + 84)
  + f ~a:x (x + 85) + f ~b:86 (x + 86) + f ~c:x (x + 87) + f ~a:88 ~c:2 (x + 88) + f ~a:x ~b:3 ~c:4 (x + 89)
  + f ~a:x (x + 90) + f ~b:91 (x + 91) + f ~c:x (x + 92) + f ~a:93 ~c:2 (x + 93) + f ~a:x ~b:3 ~c:4 (x + 94)
  + f ~a:x (x + 95) + f ~b:96 (x + 96) + f ~c:x (x + 97) + f ~a:98 ~c:2 (x + 98) + f ~a:x ~b:3 ~c:4 (x + 99)
  + f ~a:x (x + 100) + f ~b:101 (x + 101) + f ~c:x (x + 102) + f ~a:103 ~c:2 (x + 103) + f ~a:x ~b:3 ~c:4 (x + 104)
  + f ~a:x (x + 105) + f ~b:106 (x + 106) + f ~c:x (x + 107) + f ~a:108 ~c:2 (x + 108) + f ~a:x ~b:3 ~c:4 (x + 109)
  + f ~a:x (x + 110) + f ~b:111 (x + 111) + f ~c:x (x + 112) + f ~a:113 ~c:2 (x + 113) + f ~a:x ~b:3 ~c:4 (x + 114)
  + f ~a:x (x + 115) + f ~b:116 (x + 116) + f ~c:x (x + 117) + f ~a:118 ~c:2 (x + 118) + f ~a:x ~b:3 ~c:4 (x + 119)
  + f ~a:x (x + 120) + f ~b:121 (x + 121) + f ~c:x (x + 122) + f ~a:123 ~c:2 (x + 123) + f ~a:x ~b:3 ~c:4 (x + 124)
  + f ~a:x (x + 125) + f ~b:126 (x + 126) + f ~c:x (x + 127) + f ~a:128 ~c:2 (x + 128) + f ~a:x ~b:3 ~c:4 (x + 129)
  + f ~a:x (x + 130) + f ~b:131 (x + 131) + f ~c:x (x + 132) + f ~a:133 ~c:2 (x + 133) + f ~a:x ~b:3 ~c:4 (x + 134)
  + f ~a:x (x + 135) + f ~b:136 (x + 136) + f ~c:x (x + 137) + f ~a:138 ~c:2 (x + 138) + f ~a:x ~b:3 ~c:4 (x + 139)
  + f ~a:x (x + 140) + f ~b:141 (x + 141) + f ~c:x (x + 142) + f ~a:143 ~c:2 (x + 143) + f ~a:x ~b:3 ~c:4 (x + 144)
  + f ~a:x (x + 145) + f ~b:146 (x + 146) + f ~c:x (x + 147) + f ~a:148 ~c:2 (x + 148) + f ~a:x ~b:3 ~c:4 (x + 149)

let () = row "S3 150 calls in a function" (fun _ -> many 3)

let rec walk ?(depth = 0) ?limit n = if n = 0 then depth else match limit with Some l when depth >= l -> n | _ -> walk ~depth:(depth + 1) ?limit (n - 1)

let () =
  row "S3 a recursive function" (fun n -> walk n + walk ~limit:10 n);
  row "S3 options passed on" (fun n ->
      let s = ref 0 in
      for i = 1 to n do
        let c = if i land 1 = 0 then Some i else None in
        s := !s + f ?c i
      done;
      !s)

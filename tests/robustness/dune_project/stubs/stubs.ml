external sum : int array -> int = "stubs_sum" [@@noalloc]
external scale : (float[@unboxed]) -> (int[@untagged]) -> (float[@unboxed]) = "stubs_scale_boxed" "stubs_scale" [@@noalloc]
external both : (int -> 'a) -> int -> float * 'a = "stubs_both"

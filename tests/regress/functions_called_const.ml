(* Functions have the names of generated constants: `const_` and a number (found by Debian's ocaml-fmt). *)

let const x _ = x + 0
let lifted x = [| x; const x 0; 0 |]
let array x = lifted x
let const x _ = x + 1
let lifted x = [| x; const x 1; 1 |]
let array x = lifted x
let const x _ = x + 2
let lifted x = [| x; const x 2; 2 |]
let array x = lifted x
let const x _ = x + 3
let lifted x = [| x; const x 3; 3 |]
let array x = lifted x
let const x _ = x + 4
let lifted x = [| x; const x 4; 4 |]
let array x = lifted x
let const x _ = x + 5
let lifted x = [| x; const x 5; 5 |]
let array x = lifted x
let const x _ = x + 6
let lifted x = [| x; const x 6; 6 |]
let array x = lifted x
let const x _ = x + 7
let lifted x = [| x; const x 7; 7 |]
let array x = lifted x
let const x _ = x + 8
let lifted x = [| x; const x 8; 8 |]
let array x = lifted x
let const x _ = x + 9
let lifted x = [| x; const x 9; 9 |]
let array x = lifted x
let const x _ = x + 10
let lifted x = [| x; const x 10; 10 |]
let array x = lifted x
let const x _ = x + 11
let lifted x = [| x; const x 11; 11 |]
let array x = lifted x
let const x _ = x + 12
let lifted x = [| x; const x 12; 12 |]
let array x = lifted x
let const x _ = x + 13
let lifted x = [| x; const x 13; 13 |]
let array x = lifted x
let const x _ = x + 14
let lifted x = [| x; const x 14; 14 |]
let array x = lifted x
let const x _ = x + 15
let lifted x = [| x; const x 15; 15 |]
let array x = lifted x
let const x _ = x + 16
let lifted x = [| x; const x 16; 16 |]
let array x = lifted x
let const x _ = x + 17
let lifted x = [| x; const x 17; 17 |]
let array x = lifted x
let const x _ = x + 18
let lifted x = [| x; const x 18; 18 |]
let array x = lifted x
let const x _ = x + 19
let lifted x = [| x; const x 19; 19 |]
let array x = lifted x
let const x _ = x + 20
let lifted x = [| x; const x 20; 20 |]
let array x = lifted x
let const x _ = x + 21
let lifted x = [| x; const x 21; 21 |]
let array x = lifted x
let const x _ = x + 22
let lifted x = [| x; const x 22; 22 |]
let array x = lifted x
let const x _ = x + 23
let lifted x = [| x; const x 23; 23 |]
let array x = lifted x
let const x _ = x + 24
let lifted x = [| x; const x 24; 24 |]
let array x = lifted x
let const x _ = x + 25
let lifted x = [| x; const x 25; 25 |]
let array x = lifted x
let const x _ = x + 26
let lifted x = [| x; const x 26; 26 |]
let array x = lifted x
let const x _ = x + 27
let lifted x = [| x; const x 27; 27 |]
let array x = lifted x
let const x _ = x + 28
let lifted x = [| x; const x 28; 28 |]
let array x = lifted x
let const x _ = x + 29
let lifted x = [| x; const x 29; 29 |]
let array x = lifted x
let const x _ = x + 30
let lifted x = [| x; const x 30; 30 |]
let array x = lifted x
let const x _ = x + 31
let lifted x = [| x; const x 31; 31 |]
let array x = lifted x
let const x _ = x + 32
let lifted x = [| x; const x 32; 32 |]
let array x = lifted x
let const x _ = x + 33
let lifted x = [| x; const x 33; 33 |]
let array x = lifted x
let const x _ = x + 34
let lifted x = [| x; const x 34; 34 |]
let array x = lifted x
let const x _ = x + 35
let lifted x = [| x; const x 35; 35 |]
let array x = lifted x
let const x _ = x + 36
let lifted x = [| x; const x 36; 36 |]
let array x = lifted x
let const x _ = x + 37
let lifted x = [| x; const x 37; 37 |]
let array x = lifted x
let const x _ = x + 38
let lifted x = [| x; const x 38; 38 |]
let array x = lifted x
let const x _ = x + 39
let lifted x = [| x; const x 39; 39 |]
let array x = lifted x
let const x _ = x + 40
let lifted x = [| x; const x 40; 40 |]
let array x = lifted x
let const x _ = x + 41
let lifted x = [| x; const x 41; 41 |]
let array x = lifted x
let const x _ = x + 42
let lifted x = [| x; const x 42; 42 |]
let array x = lifted x
let const x _ = x + 43
let lifted x = [| x; const x 43; 43 |]
let array x = lifted x
let const x _ = x + 44
let lifted x = [| x; const x 44; 44 |]
let array x = lifted x
let const x _ = x + 45
let lifted x = [| x; const x 45; 45 |]
let array x = lifted x
let const x _ = x + 46
let lifted x = [| x; const x 46; 46 |]
let array x = lifted x
let const x _ = x + 47
let lifted x = [| x; const x 47; 47 |]
let array x = lifted x
let const x _ = x + 48
let lifted x = [| x; const x 48; 48 |]
let array x = lifted x
let const x _ = x + 49
let lifted x = [| x; const x 49; 49 |]
let array x = lifted x
let const x _ = x + 50
let lifted x = [| x; const x 50; 50 |]
let array x = lifted x
let const x _ = x + 51
let lifted x = [| x; const x 51; 51 |]
let array x = lifted x
let const x _ = x + 52
let lifted x = [| x; const x 52; 52 |]
let array x = lifted x
let const x _ = x + 53
let lifted x = [| x; const x 53; 53 |]
let array x = lifted x
let const x _ = x + 54
let lifted x = [| x; const x 54; 54 |]
let array x = lifted x
let const x _ = x + 55
let lifted x = [| x; const x 55; 55 |]
let array x = lifted x
let const x _ = x + 56
let lifted x = [| x; const x 56; 56 |]
let array x = lifted x
let const x _ = x + 57
let lifted x = [| x; const x 57; 57 |]
let array x = lifted x
let const x _ = x + 58
let lifted x = [| x; const x 58; 58 |]
let array x = lifted x
let const x _ = x + 59
let lifted x = [| x; const x 59; 59 |]
let array x = lifted x

let words =
  [
    "w0"; "w1"; "w2"; "w3"; "w4"; "w5"; "w6"; "w7"; "w8"; "w9";
    "w10"; "w11"; "w12"; "w13"; "w14"; "w15"; "w16"; "w17"; "w18"; "w19";
    "w20"; "w21"; "w22"; "w23"; "w24"; "w25"; "w26"; "w27"; "w28"; "w29";
    "w30"; "w31"; "w32"; "w33"; "w34"; "w35"; "w36"; "w37"; "w38"; "w39";
    "w40"; "w41"; "w42"; "w43"; "w44"; "w45"; "w46"; "w47"; "w48"; "w49";
    "w50"; "w51"; "w52"; "w53"; "w54"; "w55"; "w56"; "w57"; "w58"; "w59";
    "w60"; "w61"; "w62"; "w63"; "w64"; "w65"; "w66"; "w67"; "w68"; "w69";
    "w70"; "w71"; "w72"; "w73"; "w74"; "w75"; "w76"; "w77"; "w78"; "w79";
    "w80"; "w81"; "w82"; "w83"; "w84"; "w85"; "w86"; "w87"; "w88"; "w89";
    "w90"; "w91"; "w92"; "w93"; "w94"; "w95"; "w96"; "w97"; "w98"; "w99";
    "w100"; "w101"; "w102"; "w103"; "w104"; "w105"; "w106"; "w107"; "w108"; "w109";
    "w110"; "w111"; "w112"; "w113"; "w114"; "w115"; "w116"; "w117"; "w118"; "w119";
    "w120"; "w121"; "w122"; "w123"; "w124"; "w125"; "w126"; "w127"; "w128"; "w129";
    "w130"; "w131"; "w132"; "w133"; "w134"; "w135"; "w136"; "w137"; "w138"; "w139";
    "w140"; "w141"; "w142"; "w143"; "w144"; "w145"; "w146"; "w147"; "w148"; "w149";
    "w150"; "w151"; "w152"; "w153"; "w154"; "w155"; "w156"; "w157"; "w158"; "w159";
    "w160"; "w161"; "w162"; "w163"; "w164"; "w165"; "w166"; "w167"; "w168"; "w169";
    "w170"; "w171"; "w172"; "w173"; "w174"; "w175"; "w176"; "w177"; "w178"; "w179";
    "w180"; "w181"; "w182"; "w183"; "w184"; "w185"; "w186"; "w187"; "w188"; "w189";
    "w190"; "w191"; "w192"; "w193"; "w194"; "w195"; "w196"; "w197"; "w198"; "w199";
    "w200"; "w201"; "w202"; "w203"; "w204"; "w205"; "w206"; "w207"; "w208"; "w209";
    "w210"; "w211"; "w212"; "w213"; "w214"; "w215"; "w216"; "w217"; "w218"; "w219";
    "w220"; "w221"; "w222"; "w223"; "w224"; "w225"; "w226"; "w227"; "w228"; "w229";
    "w230"; "w231"; "w232"; "w233"; "w234"; "w235"; "w236"; "w237"; "w238"; "w239";
    "w240"; "w241"; "w242"; "w243"; "w244"; "w245"; "w246"; "w247"; "w248"; "w249";
    "w250"; "w251"; "w252"; "w253"; "w254"; "w255"; "w256"; "w257"; "w258"; "w259";
    "w260"; "w261"; "w262"; "w263"; "w264"; "w265"; "w266"; "w267"; "w268"; "w269";
    "w270"; "w271"; "w272"; "w273"; "w274"; "w275"; "w276"; "w277"; "w278"; "w279";
    "w280"; "w281"; "w282"; "w283"; "w284"; "w285"; "w286"; "w287"; "w288"; "w289";
    "w290"; "w291"; "w292"; "w293"; "w294"; "w295"; "w296"; "w297"; "w298"; "w299";
    "w300"; "w301"; "w302"; "w303"; "w304"; "w305"; "w306"; "w307"; "w308"; "w309";
    "w310"; "w311"; "w312"; "w313"; "w314"; "w315"; "w316"; "w317"; "w318"; "w319";
    "w320"; "w321"; "w322"; "w323"; "w324"; "w325"; "w326"; "w327"; "w328"; "w329";
    "w330"; "w331"; "w332"; "w333"; "w334"; "w335"; "w336"; "w337"; "w338"; "w339";
    "w340"; "w341"; "w342"; "w343"; "w344"; "w345"; "w346"; "w347"; "w348"; "w349";
    "w350"; "w351"; "w352"; "w353"; "w354"; "w355"; "w356"; "w357"; "w358"; "w359";
    "w360"; "w361"; "w362"; "w363"; "w364"; "w365"; "w366"; "w367"; "w368"; "w369";
    "w370"; "w371"; "w372"; "w373"; "w374"; "w375"; "w376"; "w377"; "w378"; "w379";
    "w380"; "w381"; "w382"; "w383"; "w384"; "w385"; "w386"; "w387"; "w388"; "w389";
    "w390"; "w391"; "w392"; "w393"; "w394"; "w395"; "w396"; "w397"; "w398"; "w399";
  ]

let () =
  List.iter print_string words;
  Array.iter print_int (array (List.length words));
  print_newline ()

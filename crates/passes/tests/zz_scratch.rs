use flambeau_interp::check::{check_pass, report};
use flambeau_interp::{Options, generate};
use flambeau_ir::{Fuel, Rewrites, Unit, printer};
use flambeau_passes::PASSES;
fn gen_unit(seed: u64) -> Unit {
    let options = generate::Options {
        size: 1 + (seed % 6) as usize,
        functions: 1 + (seed % 4) as usize,
        raising: seed % 5 == 4,
        mutation: seed % 7 != 6,
        ..generate::Options::default()
    };
    generate::unit(seed, &options)
}
fn run(unit: &Unit, fuel: u64) -> (Result<(), String>, Option<Unit>, u64) {
    let pass = PASSES.iter().find(|p| p.name == "simplify").unwrap();
    let mut after = None;
    let mut used = 0;
    let mut last = String::new();
    let r = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
        check_pass(
            unit,
            |u| {
                let mut rw =
                    Rewrites { fuel: Fuel::limited(fuel), trace: Some(vec![]), ..Default::default() };
                (pass.run)(u, &mut rw);
                used = rw.fuel.used();
                last = rw.trace.unwrap().last().cloned().unwrap_or_default();
                after = Some(u.clone());
            },
            &Options { fuel: 5000, meddle: true, ..Options::default() },
        )
        .map(|_| ())
        .map_err(|e| e.to_string())
    }));
    let r = match r {
        Ok(r) => r,
        Err(_) => Err("panic".into()),
    };
    (r.map_err(|e| format!("{e}\nlast rewrite: {last}")), after, used)
}
#[test]
fn scratch() {
    let n: u64 = std::env::var("N").ok().and_then(|s| s.parse().ok()).unwrap_or(3000);
    let start: u64 = std::env::var("S").ok().and_then(|s| s.parse().ok()).unwrap_or(0);
    let mut best: Option<(usize, u64)> = None;
    let mut fails = 0;
    for seed in start..start + n {
        let unit = gen_unit(seed);
        let (r, _, _) = run(&unit, u64::MAX);
        if r.is_err() {
            fails += 1;
            let len = printer::print_unit(&unit).len();
            if best.is_none_or(|(l, _)| len < l) {
                best = Some((len, seed));
            }
        }
    }
    println!("{fails} failures of {n}");
    if let Some((_, seed)) = best {
        let unit = gen_unit(seed);
        let (_, _, used) = run(&unit, u64::MAX);
        let (mut lo, mut hi) = (0, if used == 0 { 1000 } else { used });
        while lo + 1 < hi {
            let mid = (lo + hi) / 2;
            if run(&unit, mid).0.is_err() { hi = mid } else { lo = mid }
        }
        let (r, after, _) = run(&unit, hi);
        println!("seed {seed} fuel {hi}");
        println!("{}", report(&r.err().unwrap_or_default(), &unit, after.as_ref()));
        panic!();
    }
}

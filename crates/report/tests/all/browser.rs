//! The page in a real browser: headless Chromium draws it, in light and in dark, and reports what it understood.

use std::ffi::OsString;
use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Output};

use flambeau_report::diff::diff;
use flambeau_report::explain::explain;
use flambeau_report::html;
use flambeau_report::sites::sites;

use crate::fixture;

const BROWSERS: &[&str] = &["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];
const SIZE: (u32, u32) = (1400, 1000);

/// The browser that is installed. `FLAMBEAU_BROWSER` names another one.
fn browser() -> Option<OsString> {
    let named = std::env::var_os("FLAMBEAU_BROWSER");
    let known = BROWSERS.iter().map(OsString::from);
    named
        .into_iter()
        .chain(known)
        .find(|name| Command::new(name).arg("--version").output().is_ok_and(|output| output.status.success()))
}

/// A browser with a profile of its own, which can't reach the network. The page has no errors.
fn run(browser: &OsString, folder: &Path, arguments: &[&str], page: &Path) -> Output {
    run_at(browser, folder, arguments, page, "")
}

/// What the browser writes when it opens the page at one of its anchors.
fn run_at(browser: &OsString, folder: &Path, arguments: &[&str], page: &Path, fragment: &str) -> Output {
    let output = start(browser, folder, arguments, page, fragment);
    let errors = errors(&output);
    assert!(errors.is_empty(), "the page has errors: {errors:?}");
    output
}

/// What the page wrote to the console.
fn errors(output: &Output) -> Vec<String> {
    let lines = String::from_utf8_lossy(&output.stderr).lines().map(str::to_owned).collect::<Vec<_>>();
    lines.into_iter().filter(|line| line.contains("CONSOLE")).collect()
}

fn start(browser: &OsString, folder: &Path, arguments: &[&str], page: &Path, fragment: &str) -> Output {
    let output = Command::new(browser)
        .args([
            "--headless=new",
            "--no-sandbox",
            "--disable-gpu",
            "--disable-dev-shm-usage",
            "--no-first-run",
        ])
        .args([
            "--disable-background-networking",
            "--host-resolver-rules=MAP * ~NOTFOUND",
            "--hide-scrollbars",
        ])
        .args([
            "--enable-logging=stderr",
            "--v=0",
            "--virtual-time-budget=3000",
            "--force-device-scale-factor=1",
        ])
        .arg(format!("--user-data-dir={}", folder.join("profile").display()))
        .arg(format!("--window-size={},{}", SIZE.0, SIZE.1))
        .args(arguments)
        .arg(format!("file://{}{fragment}", page.display()))
        .output()
        .expect("the browser runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    output
}

/// Ten thousand remarks are a page that opens in time.
#[test]
fn a_large_page_is_quick() {
    let Some(browser) = browser() else { return };
    let mut report = fixture::report();
    let some = report.remarks.clone();
    report.remarks = some.iter().cycle().take(10_000).cloned().collect();
    let folder = tempfile::tempdir().expect("a folder");
    let page = folder.path().join("page.html");
    let start = std::time::Instant::now();
    fs::write(&page, html::render(&[report])).expect("written");
    assert!(start.elapsed().as_secs() < 10, "{:?}", start.elapsed());
    let start = std::time::Instant::now();
    let dom = run_at(&browser, folder.path(), &["--dump-dom"], &page, "?search=no+such+words");
    assert!(start.elapsed().as_secs() < 30, "{:?}", start.elapsed());
    assert!(String::from_utf8_lossy(&dom.stdout).contains(">0 remarks<"));
}

#[test]
fn the_page_is_drawn() {
    let Some(browser) = browser() else {
        // Not by a macro: what those print is not shown for tests that pass.
        let message =
            "SKIPPED: no Chromium is installed (apt-get install chromium): the page was not looked at\n";
        std::io::stderr().write_all(message.as_bytes()).expect("the standard error");
        return;
    };
    let folder = tempfile::tempdir().expect("a folder");
    let page = folder.path().join("page.html");
    fs::write(&page, html::render(&[fixture::report()])).expect("written");

    // Errors would be seen.
    let broken = folder.path().join("broken.html");
    fs::write(&broken, "<script>missing()</script>").expect("written");
    assert_eq!(errors(&start(&browser, folder.path(), &["--dump-dom"], &broken, "")).len(), 1);

    let dom = run(&browser, folder.path(), &["--dump-dom"], &page);
    let dom = String::from_utf8_lossy(&dom.stdout);
    check_dom(&dom);
    // A link to a call opens it.
    let open = "id=\"u0c0\" open";
    assert!(!dom.contains(open));
    let dom = run_at(&browser, folder.path(), &["--dump-dom"], &page, "#u0c0");
    assert!(String::from_utf8_lossy(&dom.stdout).contains(open));

    // So is a remark opened, and others are found by words.
    let first = &fixture::report().remarks[0];
    let dom = run_at(&browser, folder.path(), &["--dump-dom"], &page, "#u0r0");
    assert!(
        String::from_utf8_lossy(&dom.stdout)
            .contains(&format!("id=\"u0r0\" data-name=\"{}\" open", first.name))
    );
    let dom = run_at(&browser, folder.path(), &["--dump-dom"], &page, "?search=method+called");
    let dom = String::from_utf8_lossy(&dom.stdout).into_owned();
    let methods = fixture::report().remarks.iter().filter(|remark| remark.name == "method_call").count();
    let shown = dom.matches("class=\"remark\"").count();
    let all = fixture::report().remarks.len();
    assert!(methods > 0 && (methods..all / 2).contains(&shown), "{shown} of {all}, {methods} of methods");

    // It can be used where there is little room.
    for width in [800, 1600] {
        let size = format!("--window-size={width},1000");
        let shot = screenshot(&browser, folder.path(), &page, &format!("{width}"), &[&size]);
        assert_eq!(shot.width, width);
    }
    let light = screenshot(&browser, folder.path(), &page, "light", &[]);
    let dark = screenshot(&browser, folder.path(), &page, "dark", &["--force-dark-mode"]);
    assert!(light.brightness() > 200.0, "light is {}", light.brightness());
    assert!(dark.brightness() < 70.0, "dark is {}", dark.brightness());
    for shot in [light, dark] {
        assert_eq!((shot.width, shot.height), SIZE);
        // Text, panels, and the tones of inlined, not inlined and specialised calls.
        assert!(shot.colours() > 100, "only {} colours", shot.colours());
    }
}

/// The page on two builds: what changed is there, is found by words, and has the tones of more and less.
#[test]
fn the_page_on_two_builds_is_drawn() {
    let Some(browser) = browser() else { return };
    let (first, mut second) = (fixture::report(), fixture::report());
    second.remarks[0].cost *= 10.0;
    let gone = second.remarks.remove(1);
    second.decisions.retain(|decision| decision.callee.as_deref() != Some("camlShapes__Make_526"));
    let differences = diff(std::slice::from_ref(&first), &[second]);
    let folder = tempfile::tempdir().expect("a folder");
    let page = folder.path().join("diff.html");
    fs::write(&page, html::render_diff(&differences)).expect("written");
    let dom = run(&browser, folder.path(), &["--dump-dom"], &page);
    let dom = String::from_utf8_lossy(&dom.stdout);
    for text in
        ["class=\"verdict kept\">+", "class=\"verdict inlined\">−", "call of <b>Shapes.Make</b>", ">gone<"]
    {
        assert!(dom.contains(text), "{text}: {dom}");
    }
    assert!(dom.contains(&gone.message.replace('&', "&amp;")));
    let dom = run_at(&browser, folder.path(), &["--dump-dom"], &page, "?search=no+such+words");
    assert!(String::from_utf8_lossy(&dom.stdout).contains(">0 remarks<"));
    for (name, width) in [("diff-800", 800), ("diff-1600", 1600)] {
        let size = format!("--window-size={width},1000");
        assert_eq!(screenshot(&browser, folder.path(), &page, name, &[&size]).width, width);
    }
    let dark = screenshot(&browser, folder.path(), &page, "diff-dark", &["--force-dark-mode"]);
    assert!(dark.brightness() < 70.0 && dark.colours() > 50, "{} {}", dark.brightness(), dark.colours());

    // The same twice is said to be the same.
    fs::write(&page, html::render_diff(&diff(std::slice::from_ref(&first), std::slice::from_ref(&first))))
        .expect("written");
    let dom = run(&browser, folder.path(), &["--dump-dom"], &page);
    assert!(String::from_utf8_lossy(&dom.stdout).contains("No difference (units: 1)"));
}

/// The document as the browser parsed it.
fn check_dom(dom: &str) {
    let report = fixture::report();
    for site in sites(&report.decisions) {
        let explanation = explain(&site.last.reason, report.policy, report.build.level);
        let text = explanation.because.replace('&', "&amp;");
        assert!(dom.contains(&text), "{text} is not on the page");
    }
    let rows = dom.matches("role=\"row\"").count();
    assert_eq!(rows, report.sources[0].text.lines().count());
    for remark in report.remarks.iter().filter(|remark| remark.kind != flambeau_report::remarks::Kind::Done) {
        assert!(dom.contains(&remark.message.replace('&', "&amp;")), "{} is not on the page", remark.message);
    }
    // The source did not become markup, and nothing was cut off.
    assert!(dom.contains("\"&lt;b&gt;&amp;amp;\" is text here"), "{dom}");
    assert!(dom.contains("</footer>") && dom.trim_end().ends_with("</html>"));
}

/// A picture, three bytes each point.
struct Shot {
    width: u32,
    height: u32,
    points: Vec<[u8; 3]>,
}

impl Shot {
    fn brightness(&self) -> f64 {
        let sum: u64 = self.points.iter().flatten().map(|byte| u64::from(*byte)).sum();
        sum as f64 / (self.points.len() * 3) as f64
    }

    fn colours(&self) -> usize {
        self.points.iter().collect::<std::collections::HashSet<_>>().len()
    }
}

fn screenshot(browser: &OsString, folder: &Path, page: &Path, name: &str, arguments: &[&str]) -> Shot {
    let file = folder.join(format!("{name}.png"));
    let option = format!("--screenshot={}", file.display());
    run(browser, folder, &[&[option.as_str()], arguments].concat(), page);
    // To be looked at by people.
    if let Some(kept) = std::env::var_os("FLAMBEAU_SCREENSHOTS") {
        fs::copy(&file, Path::new(&kept).join(format!("report-{name}.png"))).expect("the picture is kept");
    }
    let decoder = png::Decoder::new(std::io::BufReader::new(fs::File::open(&file).expect("a picture")));
    let mut reader = decoder.read_info().expect("a picture");
    let mut bytes = vec![0; reader.output_buffer_size().expect("a size")];
    let info = reader.next_frame(&mut bytes).expect("a picture");
    let width = info.color_type.samples();
    assert!(width >= 3, "coloured");
    let points = bytes[..info.buffer_size()].chunks_exact(width).map(|p| [p[0], p[1], p[2]]).collect();
    Shot { width: info.width, height: info.height, points }
}

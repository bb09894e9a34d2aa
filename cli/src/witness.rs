//! `raytwin witness`: casts the rays of complaints about other ray casters, and checks the answers
//! against the exact ones.

mod case;

use super::Failure;
use super::console::Console;
use super::device::DeviceFlag;
use super::summary::{
    Summary, WitnessCaseSummary, WitnessList, WitnessResult, WitnessSummary, WrongAnswer,
};
use case::{Case, Theme, themes};
use clap::Args;
use raytwin::cpu::CpuTracer;
use raytwin::gpu::{Gpu, GpuTracer};
use raytwin::packed::PackedScene;
use raytwin::query::{Answers, HitArrays};
use raytwin::ray::Hit;
use raytwin::tracer::{TraceError, Tracer};
use raytwin_files::nearest;
use raytwin_verify::{Answer, Class, Judge, Verdict};
use std::fmt::Write;
use std::process::ExitCode;

/// The largest error of a normal's component. Normals are computed in float64 at the float32 t.
const NORMAL: f32 = 1e-5;

#[derive(Debug, Args)]
#[command(before_help = EXAMPLES, next_help_heading = "Cases")]
pub(super) struct Arguments {
    /// Run only this case. May be repeated.
    #[arg(long, value_name = "NAME")]
    case: Vec<String>,
    /// List the cases, their sources, and what goes wrong in other programs.
    #[arg(long)]
    list: bool,
}

const EXAMPLES: &str = "\
raytwin witness --device cpu
raytwin witness --list";

pub(super) fn run(
    arguments: &Arguments,
    device: &str,
    console: &Console,
) -> Result<ExitCode, Failure> {
    let themes = themes()?;
    let cases = chosen(&themes, &arguments.case)?;
    if arguments.list {
        return list(&cases, console);
    }
    let device = Device::open(&DeviceFlag::new(device).or_any_gpu(), console)?;
    let bar = console.bar("witness", "cases", cases.len());
    let mut results = Vec::new();
    for (theme, case) in cases {
        let wrong = device.wrong_answers(case)?;
        results.push(WitnessResult {
            name: case.name.clone(),
            theme: theme.name.clone(),
            kind: case.query.name(),
            passed: wrong.is_empty(),
            answers: case.expected.len(),
            wrong,
        });
        bar.inc(1);
    }
    bar.finish_and_clear();
    let failed = results.iter().filter(|result| !result.passed).count();
    let table = table(&results);
    let of = results.len();
    let summary = WitnessSummary {
        device: device.name,
        is_correctly_rounded: device.is_correctly_rounded,
        passed: of - failed,
        failed,
        cases: results,
    };
    console.result(Summary::Witness(summary), &table)?;
    if failed > 0 {
        console.error(&format!("{failed} of {of} cases fail"));
        return Ok(ExitCode::from(1));
    }
    console.say(&format!("{of} of {of} cases pass"));
    Ok(ExitCode::SUCCESS)
}

/// Returns the cases with these names, or all cases without names.
fn chosen<'a>(
    themes: &'a [Theme],
    names: &[String],
) -> Result<Vec<(&'a Theme, &'a Case)>, Failure> {
    let cases =
        || themes.iter().flat_map(|theme| theme.cases.iter().map(move |case| (theme, case)));
    for name in names {
        if cases().all(|(_, case)| case.name != *name) {
            let known: Vec<&str> = cases().map(|(_, case)| case.name.as_str()).collect();
            let hint = match nearest(name, &known) {
                Some(near) => format!("did you mean {near}?"),
                None => "--list lists the cases".to_owned(),
            };
            return Err(Failure::usage(format!("--case {name}: there is no such case: {hint}")));
        }
    }
    Ok(cases().filter(|(_, case)| names.is_empty() || names.contains(&case.name)).collect())
}

fn list(cases: &[(&Theme, &Case)], console: &Console) -> Result<ExitCode, Failure> {
    let mut table = String::new();
    let mut last = "";
    for (theme, case) in cases {
        if theme.name != last {
            let _ = writeln!(table, "{}: {}", theme.name, theme.about);
            last = &theme.name;
        }
        let _ = writeln!(table, "  {} ({})", case.name, case.query.name());
        let _ = writeln!(table, "    {}\n    {}", case.elsewhere, case.source);
    }
    let summary = |&(theme, case): &(&Theme, &Case)| WitnessCaseSummary {
        name: case.name.clone(),
        theme: theme.name.clone(),
        kind: case.query.name(),
        elsewhere: case.elsewhere.clone(),
        source: case.source.clone(),
        answer: case.answer.clone(),
    };
    let cases = cases.iter().map(summary).collect();
    console.result(Summary::WitnessCases(WitnessList { cases }), &table)?;
    Ok(ExitCode::SUCCESS)
}

struct Device {
    /// The GPU; `None` for the float64 tracer.
    gpu: Option<Gpu>,
    name: String,
    is_correctly_rounded: bool,
}

impl Device {
    fn open(flag: &DeviceFlag, console: &Console) -> Result<Self, Failure> {
        let (gpu, reason) = flag.opening(None).wait()?;
        let (name, is_correctly_rounded) = match &gpu {
            Some(gpu) => (gpu.name().to_owned(), gpu.measure_arithmetic()?.is_correctly_rounded()),
            None => ("cpu".to_owned(), true),
        };
        console.say(&format!("device: {name} ({reason})"));
        Ok(Self { gpu, name, is_correctly_rounded })
    }

    fn tracer(&self, packed: &PackedScene) -> Result<Box<dyn Tracer>, Failure> {
        Ok(match &self.gpu {
            Some(gpu) => Box::new(GpuTracer::new(gpu, packed)?),
            None => Box::new(CpuTracer::new(packed)),
        })
    }

    /// Casts the rays of a case, and returns the answers that are wrong.
    fn wrong_answers(&self, case: &Case) -> Result<Vec<WrongAnswer>, Failure> {
        let packed = PackedScene::new(case.scene()?)?;
        let tracer = self.tracer(&packed)?;
        let question = case.question();
        let batch = question.batch().map_err(TraceError::from)?;
        let mut traced = tracer.ask(question.query, batch)?;
        let verdicts = Judge::new(&packed).judge(batch, &traced)?;
        traced.complete(packed.scene(), batch, HitArrays::DEFAULT);
        let normals = match traced {
            Answers::Closest(hits) => hits.primitive_normals,
            _ => Vec::new(),
        };
        let faults = verdicts.iter().enumerate().filter_map(|(index, verdict)| {
            let reason = self.fault(case, index, verdict, normals.get(index))?;
            Some(WrongAnswer { ray: index, reason })
        });
        Ok(faults.collect())
    }

    /// Returns the reason why an answer is wrong; `None` if it is right. The reference could also
    /// be wrong, so the answer must agree with the case too. On a device that does not round
    /// correctly, an answer may miss an exact touch, which the judge takes into account.
    fn fault(
        &self,
        case: &Case,
        index: usize,
        verdict: &Verdict,
        normal: Option<&[f32; 3]>,
    ) -> Option<String> {
        let (expected, given) = (&case.expected[index], &verdict.given);
        let must_agree = self.is_correctly_rounded || !case.lattice;
        if must_agree && !expected.agrees(given) {
            return Some(format!("the answer is {}, but {expected} is right", answer_text(given)));
        }
        if verdict.class == Class::Mismatch {
            let exact = answer_text(&verdict.exact);
            return Some(format!(
                "the answer is {}, but float64 gives {exact}",
                answer_text(given)
            ));
        }
        let (right, normal) = (expected.normal()?, normal?);
        let is_near = |(a, b): (&f32, &f32)| (a - b).abs() <= NORMAL;
        (given.hit().is_hit() && !right.iter().zip(normal).all(is_near))
            .then(|| format!("the normal is {normal:?}, but {right:?} is right"))
    }
}

fn answer_text(answer: &Answer) -> String {
    let hit_text = |hit: &Hit| match (hit.is_hit(), hit.primitive_id) {
        (true, 0) => format!("t {} id {}", hit.t, hit.geometry_id),
        (true, primitive_id) => format!("t {} id {}/{primitive_id}", hit.t, hit.geometry_id),
        (false, _) if hit.t.is_nan() => "an invalid ray".to_owned(),
        (false, _) => "a miss".to_owned(),
    };
    match answer {
        Answer::Closest(hit) => hit_text(hit),
        Answer::Any(is_hit) => is_hit.to_string(),
        Answer::Count(count) => format!("{count} crossings"),
        Answer::All(hits) => {
            format!("[{}]", hits.iter().map(hit_text).collect::<Vec<_>>().join(", "))
        }
        other => format!("{other:?}"),
    }
}

/// Writes a line for each case, and below it a line for each wrong answer.
fn table(results: &[WitnessResult]) -> String {
    let mut text =
        format!("{:<30} {:<29} {:<8} {:>7}  result\n", "case", "theme", "kind", "answers");
    for WitnessResult { name, theme, kind, passed, answers, wrong } in results {
        let result = if *passed { "pass" } else { "FAIL" };
        let _ = writeln!(text, "{name:<30} {theme:<29} {kind:<8} {answers:>7}  {result}");
        for WrongAnswer { ray, reason } in wrong {
            let _ = writeln!(text, "    ray {ray}: {reason}");
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    const CPU: Device = Device { gpu: None, name: String::new(), is_correctly_rounded: true };

    /// A case with a sphere and three rays. One change may make its answers wrong.
    fn case(key: &str, index: usize, expected: Value) -> Case {
        let mut case = json!({
            "name": "ball", "elsewhere": "", "source": "", "answer": "", "lattice": true,
            "scene": { "raytwin": 1, "shapes": [ { "type": "sphere", "center": [0, 0, 0], "radius": 1 } ] },
            "query": "closest",
            "rays": [[-5, 0, 0, 1, 0, 0, 0, null], [-5, 2, 0, 1, 0, 0, 0, null], [0, 0, 0, 0, 0, 0, 0, null]],
            "expected": [{ "t": 4, "geometry_id": 0, "primitive_id": 0, "normal": [-1, 0, 0] }, "miss", "invalid"]
        });
        case[key][index] = expected;
        serde_json::from_value(case).unwrap()
    }

    #[test]
    fn an_answer_other_than_the_expected_one_is_wrong_though_the_judge_agrees_with_it() {
        let hit = |t: f64, id: u32, normal: [f32; 3]| json!({ "t": t, "geometry_id": id, "normal": normal });
        let out = [-1.0, 0.0, 0.0];
        for (index, expected, reason) in [
            (0, hit(4.0, 0, out), None),
            (
                0,
                hit(4.0000001, 0, out),
                Some("the answer is t 4 id 0, but t 4.0000001 id 0 is right"),
            ),
            (0, hit(4.0, 1, out), Some("the answer is t 4 id 0, but t 4 id 1 is right")),
            (
                0,
                hit(4.0, 0, [1.0, 0.0, 0.0]),
                Some("the normal is [-1.0, 0.0, 0.0], but [1.0, 0.0, 0.0] is right"),
            ),
            (0, json!("miss"), Some("the answer is t 4 id 0, but a miss is right")),
            (0, json!(true), Some("the answer is t 4 id 0, but true is right")),
            (1, hit(4.0, 0, out), Some("the answer is a miss, but t 4 id 0 is right")),
            (1, json!("invalid"), Some("the answer is a miss, but an invalid ray is right")),
            (2, json!("miss"), Some("the answer is an invalid ray, but a miss is right")),
        ] {
            let wrong = CPU.wrong_answers(&case("expected", index, expected)).unwrap();
            assert_eq!(wrong.first().map(|answer| answer.reason.as_str()), reason);
            assert!(wrong.len() <= 1 && wrong.iter().all(|answer| answer.ray == index));
        }
    }

    #[test]
    fn a_device_that_rounds_otherwise_is_left_to_the_judge_on_a_lattice() {
        let loose = Device { is_correctly_rounded: false, ..CPU };
        let mut case = case("expected", 0, json!("miss"));
        assert!(loose.wrong_answers(&case).unwrap().is_empty());
        case.lattice = false;
        assert_eq!(loose.wrong_answers(&case).unwrap().len(), 1);
    }
}

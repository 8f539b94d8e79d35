//! Criteria that nobody can check, in English and Chinese: "works correctly", "good performance", "正常工作".
//!
//! A criterion is vague if it names nothing that can be checked: no number, nothing from code, and no words except
//! those that praise or promise ("works", "as expected", "没问题") and those that fit anywhere ("the feature"). A short
//! one that says works, fine, good, correct or the like needs a number or something from code: "login works" is vague.

use std::collections::HashSet;
use std::sync::LazyLock;

use unicode_width::UnicodeWidthStr;

/// A criterion with fewer columns than this is short.
const SHORT: usize = 15;
/// A verification with fewer columns than this does not say what to do, unless it is a whole test command.
const LEAST_VERIFICATION: usize = 10;
/// Programs whose name alone says that something is tested or built.
const TEST_PROGRAMS: &str = "\
    bats bazel behat behave buck2 bun cabal cargo composer ctest deno dotnet dune earthly flutter gradle gradlew grunt \
    gulp jasmine jest julia karma lein meson mix mocha mvn mvnw ninja nose2 nox npm npx nx phpspec phpunit pnpm poetry \
    pytest rake rspec sbt scons tox tsc uv vitest yarn zig";
/// Programs with the names of everyday words, each with the arguments that show that the program is meant.
const WORDY_PROGRAMS: &str = "ant go invoke just make pants pdm prove stack swift tap task trial turbo";
const TEST_ARGUMENTS: &str = "all build check checks ci lint spec specs t test tests unit verify vet";

/// Words that praise or promise.
const PRAISE: &str = "\
    works work working worked correct correctly correctness proper properly fine good well ok okay \
    expected intended successful successfully succeeds succeed success pass passes passed passing \
    appropriate appropriately reasonable reasonably nice nicely better best improved improves improve \
    fast faster quick quickly clean robust robustly stable intuitive adequate adequately sufficient \
    sufficiently satisfactory seamless seamlessly smooth smoothly normal normally right efficient \
    efficiently optimal optimized optimised done complete completed finished implemented ready green \
    great usable friendly fixed resolved handled reliable reliably";
/// Praise that makes a short criterion vague, whatever other words it has.
const BARE: &str = "\
    works work working fine good ok okay correct correctly";
/// Words that could appear in any criterion of any plan.
const EMPTY: &str = "\
    a an the is are be been being was it its this that these those all every everything any anything \
    each of in on to for and or with as at by from should must will would can could shall may has have \
    does do doing more very still again now also too there we you when how what existing new whole \
    entire overall code codebase feature features function functions functionality implementation \
    solution change changes fix task tasks test tests testing unit integration suite suites case cases \
    api apis app application system program project module component components thing things stuff \
    result results output outputs behaviour behavior behaves behave runs run performance quality ui ux \
    build bug issue problem user users experience requirement requirements way manner state returns \
    return performs perform looks look seems easy use";
/// Chinese words that praise or promise; longer ones first, since they are removed in this order.
const PRAISE_ZH: &str = "\
    符合预期 如预期 按预期 符合要求 满足要求 满足需求 没有问题 没问题 无问题 运行良好 测试通过 通过测试 正确 \
    正常 良好 可用 合理 成功 完成 完善 完美 优秀 稳定 流畅 友好 恰当 适当 通过 无误 快速 高效 好用 好";
/// Chinese praise that makes a short criterion vague, whatever other words it has.
const BARE_ZH: &str = "正确 正常 没问题 没有问题 良好";
/// Chinese words that could appear in any criterion of any plan.
const EMPTY_ZH: &str = "\
    单元测试 集成测试 测试用例 应用程序 功能 工作 运行 系统 代码 接口 性能 结果 输出 行为 测试 程序 项目 \
    模块 组件 实现 方案 任务 修改 用户 体验 质量 问题 使用 返回 应该 应当 可以 能够 必须 所有 全部 一切 \
    各项 全都 已经 它 应 能 会 要 都 是 的 了 地 得 很 也 已 被 在 和 与 及 可 将 其 该 此 这 那 \
    个 各 并";

/// What a plan or roadmap with a thin verification should have instead.
pub(crate) const WAY_TO_CHECK: &str = "a way to check the criteria: a test command such as `npm test`, or a sentence that says what to run and what to see";

/// Programs and steps that only those who build the software know.
const TECHNICAL: &str = "\
    compile compiles compiled compiling compilation build builds lint lints linted linter linting npm npx \
    jest tsc eslint";
/// The Chinese ones.
const TECHNICAL_ZH: &str = "编译 构建";

fn words(text: &'static str) -> HashSet<&'static str> {
    text.split(' ').collect()
}

static BARE_WORDS: LazyLock<HashSet<&str>> = LazyLock::new(|| words(BARE));
static EMPTY_WORDS: LazyLock<HashSet<&str>> = LazyLock::new(|| &words(PRAISE) | &words(EMPTY));

static TECHNICAL_WORDS: LazyLock<HashSet<&str>> = LazyLock::new(|| words(TECHNICAL));

/// Whether nobody could check this criterion.
pub(crate) fn is_vague(criterion: &str) -> bool {
    let text = criterion.trim().to_lowercase();
    if has_number(&text) || has_code_marks(criterion.trim()) {
        return false;
    }
    let rest = without_chinese(&text);
    let words: Vec<&str> =
        rest.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
    let is_bare = words.iter().any(|word| BARE_WORDS.contains(word))
        || BARE_ZH.split(' ').any(|word| text.contains(word));
    if is_bare && UnicodeWidthStr::width(text.as_str()) < SHORT {
        return true;
    }
    // One concrete word is enough.
    words.iter().all(|word| EMPTY_WORDS.contains(word))
}

/// Whether a verification is too short to say what to do. A test command never is: `npm test`, or one of the task's own.
pub(crate) fn is_thin(verification: &str, commands: &[&str]) -> bool {
    let text = verification.trim();
    UnicodeWidthStr::width(text) < LEAST_VERIFICATION
        && !is_test_command(text)
        && !commands.iter().any(|command| command.trim() == text)
}

/// Whether a text is a command that tests, such as `./gradlew check` or `make test`.
fn is_test_command(text: &str) -> bool {
    let mut words = text.trim_matches('`').split_whitespace();
    let program = words.next().unwrap_or_default();
    is_word_of(TEST_PROGRAMS, program.trim_start_matches("./"))
        || is_word_of(WORDY_PROGRAMS, program)
            && words.next().is_some_and(|word| is_word_of(TEST_ARGUMENTS, word))
}

fn is_word_of(list: &'static str, word: &str) -> bool {
    list.split_whitespace().any(|known| known == word)
}

/// Whether a definition of done is in the terms of those who build the software: it says what a compiler or a test
/// program does, not what the requester has then.
pub(crate) fn is_technical(definition: &str) -> bool {
    let text = definition.to_lowercase();
    text.split(|c: char| !c.is_alphanumeric()).any(|word| TECHNICAL_WORDS.contains(word))
        || TECHNICAL_ZH.split(' ').any(|word| text.contains(word))
}

fn has_number(text: &str) -> bool {
    text.chars().any(char::is_numeric)
}

/// Backticks, calls, paths, options, comparisons, names_like_this, nameLikeThis, name.ext: something from code, or a
/// quote.
fn has_code_marks(text: &str) -> bool {
    let marks = ['`', '_', '<', '>', '=', '≤', '≥', '%', '$', '{', '[', '"', '“', '「', '\\', '@'];
    let chars: Vec<char> = text.chars().collect();
    text.contains(marks)
        || text.contains("--")
        || text.contains("::")
        || chars.windows(2).any(|pair| {
            let (before, after) = (pair[0], pair[1]);
            (before.is_lowercase() && after.is_uppercase())
                || (before == '.' && after.is_alphanumeric())
                || (before.is_alphanumeric() && matches!(after, '/' | '('))
        })
}

/// The text without Chinese praise and fillers. Chinese has no spaces between words, so the rest of a criterion is what
/// it names.
fn without_chinese(text: &str) -> String {
    if text.is_ascii() {
        return text.to_owned();
    }
    let fillers = PRAISE_ZH.split(' ').chain(EMPTY_ZH.split(' '));
    fillers
        .fold(text.to_owned(), |rest, word| if rest.contains(word) { rest.replace(word, " ") } else { rest })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn what_nobody_can_check_is_vague() {
        for text in [
            "works",
            "Works.",
            "It works correctly",
            "API works correctly",
            "Good performance",
            "Tests pass",
            "Unit tests pass",
            "All existing tests pass",
            "works as expected",
            "Everything should be fine",
            "Login works",
            "The feature is implemented",
            "User experience is improved",
            "tests",
            "正确",
            "正常工作",
            "功能正常",
            "没问题",
            "系统运行良好",
            "所有测试通过",
            "单元测试全部通过。",
            "结果符合预期",
        ] {
            assert!(is_vague(text), "{text}");
        }
    }

    #[test]
    fn what_names_a_number_code_or_a_thing_is_not() {
        for text in [
            "3 API endpoints: GET, POST, DELETE",
            "Response time < 200ms p95",
            "All 4 test cases pass",
            "Token TTL is correctly set",
            "No breaking changes to API",
            "GitHub comment posted successfully",
            "Comment includes completion summary",
            "`make test` passes",
            "cargo test passes",
            "parse() works",
            "parseDate works",
            "src/limit.rs works",
            "x_y is fine",
            "The session survives a restart of the server",
            "It is 3",
            "返回正确的用户编号",
            "登录功能正常工作",
            "响应时间小于200毫秒",
            "所有4个测试通过",
            "重复提交时返回「已存在」",
            "支付完成后跳转",
        ] {
            assert!(!is_vague(text), "{text}");
        }
    }

    #[test]
    fn a_verification_says_what_to_do() {
        for text in ["", "run it", "check", "看一下", "ls", "ok", "tests", "./t.sh", "make sure", "go look"]
        {
            assert!(is_thin(text, &[]), "{text}");
        }
        assert!(!is_thin("./t.sh", &["./t.sh"]));
        assert!(!is_thin("Run: npm test", &[]));
        assert!(!is_thin("打开登录页面并核对", &[]));
    }

    #[test]
    fn a_whole_test_command_says_what_to_do_however_short() {
        for text in
            ["npm test", "pytest", "mvn test", "tox", "make test", "go test", "`rake`", "./mvnw t", "just t"]
        {
            assert!(!is_thin(text, &[]), "{text}");
        }
    }

    #[test]
    fn a_definition_of_done_is_for_the_requester() {
        for text in ["npm run build", "It compiles", "ESLint reports nothing", "jest: 12 passed", "构建成功"]
        {
            assert!(is_technical(text), "{text}");
        }
        for text in ["Teams export a month of hours", "The building plan is online", "用户可以导出"] {
            assert!(!is_technical(text), "{text}");
        }
    }

    proptest! {
        #[test]
        fn any_text_has_an_answer(text in "\\PC{0,40}") {
            let _ = (is_vague(&text), is_thin(&text, &[]));
        }
    }
}

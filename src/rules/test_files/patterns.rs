//! The usual names of tests, of what configures how they run, and of what runs them.

/// Tests, by the usual names of Rust, Python, JavaScript and TypeScript, Go, Java and Kotlin, Ruby, PHP, C#, C and C++, and shell.
pub(super) const TESTS: &[&str] = &[
    "**/{test,tests,spec,specs,e2e,__tests__,__mocks__,__snapshots__,snapshots,testdata,fixtures,cypress}/**",
    "**/{expected,golden,goldens,baseline,baselines,cassettes,snapshot}/**",
    // A submodule, or a link.
    "{test,tests,spec,specs,e2e,__tests__,testdata,fixtures,expected,golden,goldens,snapshots}",
    "**/src/{test,it,integrationTest,androidTest}/**",
    "tests.rs",
    "{*_test,*_tests,test_*}.{rs,py,go,rb,php,sh,bash,c,cc,cpp,cxx,js,mjs,cjs,ts}",
    "{test,tests}.{py,rb,sh,bash,js,mjs,cjs,ts}",
    "*.{test,spec}.{js,jsx,mjs,cjs,ts,tsx,mts,cts,vue,sh,bash}",
    "*_spec.rb",
    "*{Test,Tests,IT,Spec}.{java,kt,kts,scala,groovy,php,cs,fs,vb}",
    "*.{Tests,Test}/**",
    "{run-tests,run_tests,run-test,run_test,runtests}",
    "{run-tests,run_tests,run-test,run_test,runtests}.{sh,bash,py,js}",
    "*.{bats,snap,golden,approved,t,expected,ambr,exp}",
    "*.approved.*",
    "*.snap.new",
];

/// The configuration of test runners.
pub(super) const RUNNERS: &[&str] = &[
    // Rust.
    "**/.cargo/{config,config.toml}",
    "/.config/nextest.toml",
    // Python.
    "{conftest,sitecustomize,usercustomize,noxfile}.py",
    "*.pth",
    "{pytest,.pytest,tox}.ini",
    "{pytest,.pytest}.toml",
    ".coveragerc",
    // JavaScript and TypeScript.
    "{jest,vitest,vite,karma,playwright,cypress,ava,babel}.config.*",
    ".babelrc*",
    ".swcrc",
    "tsconfig.{test,spec,jest,vitest}.json",
    "{bunfig.toml,deno.json,deno.jsonc}",
    "**/node_modules/{.bin,jest,jest-*,@jest,mocha,vitest,@vitest,chai}/**",
    "{jest,vitest}.{setup,preset,workspace}.*",
    "{setupTests,setup-tests,test-setup,jest-setup,vitest-setup,mocha-setup,setupJest,setupVitest}.*",
    "karma.conf.*",
    ".mocharc*",
    ".nycrc*",
    ".taprc",
    ".npmrc",
    // Java, Ruby, PHP, C#, and others.
    "{junit-platform,testng}.{properties,xml}",
    "**/.mvn/**",
    "gradle.properties",
    "Directory.Build.{props,targets}",
    ".rspec",
    "Rakefile",
    "{phpunit,phpunit.dist}.xml",
    "phpunit.xml.dist",
    "*.runsettings",
    "xunit.runner.json",
    "{justfile,Justfile,.justfile}",
    "{Taskfile,taskfile}.{yml,yaml}",
    "*.mk",
    ".env.test",
    ".env.testing",
];

/// Programs that run tests. A file of the project with such a name would run in their place.
pub(super) const PROGRAMS: &[&str] = &[
    "ava", "bats", "bun", "cargo", "ctest", "deno", "dotnet", "go", "gradle", "jest", "just", "make",
    "mocha", "mvn", "node", "nose2", "npm", "npx", "nox", "phpunit", "pnpm", "poetry", "prove", "py.test",
    "pytest", "python", "python3", "rake", "rspec", "tap", "tox", "ts-node", "tsx", "unittest", "uv",
    "vitest", "yarn",
];

pub(super) const LOCKS: &[&str] = &[
    "{Cargo,poetry,uv,Pipfile,yarn,composer,Gemfile,bun}.lock",
    "{package-lock,npm-shrinkwrap,packages.lock}.json",
    "pnpm-lock.yaml",
    "go.sum",
];

/// Files that build a project, and say in the same place how its tests run.
pub(super) const BUILDS: &[&str] =
    &["pom.xml", "{build,settings}.gradle", "{build,settings}.gradle.kts", "*.{csproj,fsproj,vbproj}"];

/// Packages that run tests, or compare values in them. A directory of the project with such a name would be loaded instead.
pub(super) const FRAMEWORKS: &[&str] = &[
    "pytest",
    "_pytest",
    "pluggy",
    "unittest",
    "nose2",
    "doctest",
    "coverage",
    "hypothesis",
    "jest",
    "mocha",
    "vitest",
    "chai",
];

/// Modules of Python's standard library that runners load. A new file with such a name would be loaded instead.
pub(super) const STANDARD: &[&str] = &[
    "argparse",
    "ast",
    "atexit",
    "builtins",
    "code",
    "collections",
    "contextlib",
    "copy",
    "dataclasses",
    "difflib",
    "dis",
    "doctest",
    "enum",
    "faulthandler",
    "fnmatch",
    "functools",
    "gc",
    "getopt",
    "glob",
    "importlib",
    "inspect",
    "io",
    "itertools",
    "json",
    "linecache",
    "locale",
    "logging",
    "marshal",
    "operator",
    "os",
    "pathlib",
    "pdb",
    "pickle",
    "platform",
    "posixpath",
    "pprint",
    "re",
    "runpy",
    "shlex",
    "shutil",
    "signal",
    "site",
    "stat",
    "string",
    "struct",
    "sys",
    "sysconfig",
    "tempfile",
    "textwrap",
    "threading",
    "time",
    "tokenize",
    "traceback",
    "types",
    "typing",
    "unittest",
    "warnings",
    "weakref",
    "zipfile",
];

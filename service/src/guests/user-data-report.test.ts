import assert from 'node:assert/strict';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { reportOf } from './user-data-report.ts';

const canary = 'Canary-4711';
const userData = `#cloud-config
users:
  - name: ada
    plain_text_passwd: ${canary}
    shell: [5]
runcmd: "echo hunter2"
`;
const status = (fields: object) => JSON.stringify(fields);
const report = (result: object, text: string | undefined = userData) =>
  reportOf(
    { status: status({ status: 'done', errors: [] }), schema: '', log: '', ...result },
    text,
  );

test('user data that was carried out has no errors', () => {
  assert.deepEqual(report({}), { status: 'done', errors: [] });
  assert.deepEqual(report({ status: 'status: done\n' }), { status: 'done', errors: [] });
});

test('an error of a module or a script is an error', () => {
  const failed = "('scripts_user', RuntimeError('Runparts: 1 failures (part-001) in 1 attempted'))";
  for (const one of ['error', 'done']) {
    const said = report({ status: status({ status: one, errors: [failed] }) });
    assert.deepEqual(said, { status: 'error', errors: [failed] });
  }
});

test('errors of its schema are listed by their paths, without the values that they quote', () => {
  const schema =
    'Error: Cloud config schema errors: ' +
    `runcmd: 'echo hunter2' is not of type 'array', users.0: {'name': 'ada', 'plain_text_passwd': '${canary}', ` +
    `'shell': [5]} is not valid under any of the given schemas\n\nError: Invalid schema: user-data\n`;
  assert.deepEqual(report({ schema }), {
    status: 'degraded',
    errors: [
      "runcmd: '…' is not of type 'array'",
      "users.0: {'name': '…', 'plain_text_passwd': '…', 'shell': … is not valid under any of the given schemas",
    ],
  });
});

test('errors of its schema end where those of version 22.4 do', () => {
  const schema =
    "Error:\nCloud config schema errors: runcmd: 'echo hunter2' is not of type 'array'\n" +
    'Cloud config schema deprecations: \n';
  assert.deepEqual(report({ schema }).errors, ["runcmd: '…' is not of type 'array'"]);
});

test('the names of modules are shown, also as early versions write them', () => {
  for (const name of ['scripts-user', 'scripts_user', 'package-update-upgrade-install']) {
    const failed = `('${name}', RuntimeError('Runparts: 1 failures (part-001) in 1 attempted commands'))`;
    const said = report({ status: status({ status: 'error', errors: [failed] }) });
    assert.deepEqual(said.errors, [failed]);
  }
});

test('the names of its fields are shown, also of user data that was sent as gzip', () => {
  const schema =
    "Cloud config schema errors: Additional properties are not allowed ('pakages' was unexpected)";
  const errors = ["Additional properties are not allowed ('pakages' was unexpected)"];
  const text = '#cloud-config\npakages: [nginx]\n';
  for (const one of [text, gzipSync(text).toString('base64')]) {
    assert.deepEqual(report({ schema }, one).errors, errors);
  }
  assert.deepEqual(report({ schema }).errors, [errors[0]?.replace('pakages', '…')]);
});

const encoded = (encoding: string, part: string) =>
  `MIME-Version: 1.0\nContent-Type: multipart/mixed; boundary="b"\n\n--b\nContent-Type: text/cloud-config\n` +
  `Content-Transfer-Encoding: ${encoding}\n\n${part}\n--b--\n`;

for (const [what, text] of [
  ['base64', encoded('base64', Buffer.from(`runcmd: ${canary}\n`).toString('base64'))],
  ['quoted-printable', encoded('quoted-printable', 'runcmd: Canary=2D4711')],
  ['a URL', '#include\nhttps://example.com/data\n'],
  ['a template', "## template: jinja\n#cloud-config\nruncmd: {{ 'Canary-' ~ 4711 }}\n"],
  ['escapes', '#cloud-config\nruncmd: "Canary\\x2d4711"\n'],
  ['binary data', `#cloud-config\nruncmd: !!binary ${Buffer.from(canary).toString('base64')}\n`],
] as const) {
  test(`only words of cloud-init are shown if a value comes from ${what}`, () => {
    const schema = `Cloud config schema errors: format-l2.c1: '${canary}' is not of type 'array'`;
    assert.deepEqual(report({ schema }, text).errors, ["format-l2.c1: '…' is not of type 'array'"]);
    const failed = "('scripts_user', RuntimeError('Runparts: 1 failures (part-001)'))";
    const said = report({ status: status({ status: 'error', errors: [failed] }) }, text);
    assert.deepEqual(said.errors, [failed]);
  });
}

for (const [what, text, quoted] of [
  ['a number', 'plain_text_passwd: 01234567', '342391'],
  ['a number with underscores', 'plain_text_passwd: 1_234_567', '1234567'],
  ['a short number', 'plain_text_passwd: 0x2a', '42'],
  ['a slash that was escaped', 'password: "hun\\/ter"', 'hun/ter'],
  ['a line end that was escaped', 'password: "hun\\\n  ter"', 'hunter'],
  ['a character that Python escapes', 'password: hun\u00a0ter', 'hun\\xa0ter'],
  ['nothing but short words', 'password: k]2{x9:(q,z', 'k]2{x9:(q,z'],
  ['nothing but punctuation', 'password: "!!!!!"', '!!!!!'],
  ['a part that is a word', 'password: no=hunter', 'no=hunter'],
  ['no ASCII', 'password: ß', 'ß'],
  ['a name that looks like a token', 'tokens:\n  a1b2c3d4: ada', 'a1b2c3d4'],
] as const) {
  test(`a value is hidden if it is ${what}`, () => {
    const schema = `Cloud config schema errors: users.0.name: '${quoted}' is not of type 'array'`;
    const said = report({ schema }, `#cloud-config\n${text}\n`);
    assert.deepEqual(said.errors, ["users.0.name: '…' is not of type 'array'"]);
  });
}

test('a value is hidden if cloud-init has put it together', () => {
  const text = `#cloud-config\nphone_home:\n  url: https://host/${canary}/$INSTANCE_ID\n`;
  const said = `Failed to post phone home data to https://host/${canary}/srv-1 in 10 tries`;
  const errors = ['Failed to post phone home data to … in … tries'];
  assert.deepEqual(report({ log: `x - util.py[WARNING]: ${said}` }, text).errors, errors);
});

test('what a program of cloud-init ended with is shown, without its arguments', () => {
  const failedWith = (divider: string, name: string) => {
    const command = `Command: ['apt-get', 'install', '${name}']`;
    const parts = ['Unexpected error while running command.', command, 'Exit code: 100'];
    return `('package_update_upgrade_install', ProcessExecutionError("${parts.join(divider)}"))`;
  };
  const said = status({ status: 'error', errors: [failedWith('\\n', canary)] });
  assert.deepEqual(report({ status: said }).errors, [failedWith(' ', '…')]);
});

test('user data and reports of a hostile guest can not occupy the service', () => {
  const size = 2 ** 19;
  for (const part of '-|- |\n| |{ |a|a.|…|… |1 |line 1|,a|, |\\n'.split('|')) {
    const long = part.repeat(size / part.length);
    const log = `[ERROR]: ${long}\n${'[ERROR]: '.repeat(55_000)}\r`;
    const errors = [long, ...Array.from({ length: 40 }, () => `ab${'a'.repeat(997)}`)];
    const said = { status: status({ errors }), schema: `schema errors: ${long}`, log };
    const text = `#cloud-config\n${long}`;
    const result = report(said, gzipSync(text).toString('base64'));
    assert.equal(result.status, 'error');
    const names = report(said, `#cloud-config\n${'a'.repeat(2 ** 16 - 20)}`);
    assert.equal(names.status, 'error');
  }
});

test('a word that the guest has cut is not shown in part', () => {
  const lineOf = (length: number) => {
    const begin = 'x - util.py[WARNING]: invalid';
    return `${begin}${' '.repeat(length - begin.length - 3)} no`;
  };
  const errorsOf = (log: string) => report({ log }).errors;
  assert.deepEqual(errorsOf(lineOf(399)), ['invalid no']);
  assert.deepEqual(errorsOf(lineOf(400)), ['invalid'], 'it may be the first part of no-4711');
  const begin = 'schema errors: invalid';
  const schema = `${begin}${' '.repeat(8192 - begin.length - 3)} no`;
  assert.deepEqual(report({ schema }).errors, ['invalid']);
});

test('a broken cloud-config shows where it is broken, and not what is there', () => {
  const broken = `#cloud-config\npassword: ${canary}: x\nother: very-long-secret-of-two-lines\n`;
  const schema =
    'Cloud config schema errors: format-l2.c22: File user-data.txt is not valid yaml. mapping values are not allowed here\n' +
    `  in "<byte string>", line 2, column 22:\n    password: ${canary}: x\n                         ^\n` +
    '    other: very-long-secret-of ... \n';
  const { status: found, errors } = report({ schema }, broken);
  assert.equal(found, 'degraded');
  assert.equal(errors.length, 1);
  assert.match(
    errors[0] ?? '',
    /^format-l2\.c22: File user-data\.txt is not valid yaml\. .* line 2, column 22: password: … \^ other: … \.\.\.$/,
  );
});

test('warnings of its log are listed, except those that repeat the errors of its schema', () => {
  const log =
    '2026-11-27 07:00:00,000 - util.py[WARNING]: Failed loading yaml blob\n' +
    '2026-11-27 07:00:00,001 - schema.py[WARNING]: Invalid cloud-config provided: Please run cloud-init schema --system\n';
  const first = 'Failed loading yaml blob';
  const second = 'Invalid cloud-config provided: Please run cloud-init schema --system';
  assert.deepEqual(report({ log }), { status: 'degraded', errors: [first, second] });
  const schema = 'Cloud config schema errors: runcmd: 5 is not of type';
  assert.deepEqual(report({ log, schema }).errors, ['runcmd: … is not of type', first]);
});

test('a cloud-init that did not run, or says nothing, leaves it unknown', () => {
  for (const [text, reason] of [
    [
      status({ status: 'disabled' }),
      /^cloud-init did not carry it out\. Its status is "disabled"\.$/,
    ],
    [status({ status: 'not run' }), /"not run"/],
    [status({ status: `x${'"'.repeat(99)}` }), /did not report a status/],
    ['', /did not report a status/],
    ['sh: cloud-init: not found', /did not report a status/],
    ['[]', /did not report a status/],
    ['null', /did not report a status/],
  ] as const) {
    const { status: found, errors } = report({ status: text });
    assert.equal(found, 'unknown');
    assert.match(errors[0] ?? '', reason);
  }
});

test('a cloud-init that was ended is an error', () => {
  const said = report({ status: status({ status: 'running', errors: [] }) });
  assert.deepEqual(said, { status: 'error', errors: ['cloud-init ended before it was done.'] });
});

test('values are hidden as well if the user data can not be read any more', () => {
  const said = status({ status: 'error', errors: [`'${canary}' failed`] });
  const result = { status: said, schema: '', log: '' };
  assert.deepEqual(reportOf(result, undefined), { status: 'error', errors: ["'…' failed"] });
});

test('errors are safe to store, and limited in number and length', () => {
  const errors = Array.from(
    { length: 50 },
    (_, at) => `line ${at}\0\ud83d\u001b[2J${' "is"'.repeat(999)}`,
  );
  const { errors: shown } = report({ status: status({ status: 'error', errors }) });
  assert.equal(shown.length, 20);
  for (const one of shown) {
    assert.equal(one.length, 500);
    assert.ok(one.isWellFormed());
    assert.doesNotMatch(one, /\p{Cc}/u);
  }
});

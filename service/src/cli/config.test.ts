import assert from 'node:assert/strict';
import { execFile, execFileSync } from 'node:child_process';
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { settingNames } from '../config/settings.ts';
import { settingsAsMarkdown } from '../config/shown.ts';
import { selfSigned } from '../incus/test-server.ts';
import { toolEntry } from '../testing/tool.ts';

const directory = mkdtempSync(join(tmpdir(), 'berth-config-'));
after(() => rmSync(directory, { recursive: true }));

interface Outcome {
  code: number;
  stdout: string;
  stderr: string;
}

const { NODE_COMPILE_CACHE = '' } = process.env;

/** Runs the command with only these settings. */
function run(settings: Record<string, string>, ...args: string[]): Promise<Outcome> {
  const env = { NODE_COMPILE_CACHE, ...settings };
  return new Promise((resolve) => {
    execFile(process.execPath, [toolEntry, 'config', ...args], { env }, (error, stdout, stderr) =>
      resolve({ code: Number(error?.code ?? 0), stdout, stderr }),
    );
  });
}

function file(name: string, content: string, mode = 0o600): string {
  const path = join(directory, name);
  writeFileSync(path, content);
  chmodSync(path, mode);
  return path;
}

test('the table in docs/settings.md matches the settings', () => {
  const page = readFileSync(new URL('../../../docs/settings.md', import.meta.url), 'utf8');
  const [table = ''] = /\| Variable [\s\S]*?\n(?=\n)/.exec(page) ?? [];
  assert.equal(table, `${settingsAsMarkdown()}\n`, 'copy the expected table into docs/settings.md');
});

test('valid settings are accepted, and wrong ones are reported with a suggestion', async () => {
  const right = await run({ BERTH_PORT: '80', DATABSE_URL: 'x' }, 'check');
  assert.deepEqual([right.code, right.stdout], [0, '1 setting is set, and it is valid.\n']);
  assert.match(right.stderr, /DATABSE_URL is not read by Berth. If DATABASE_URL was meant/);
  const none = await run({}, 'check');
  assert.deepEqual([none.code, none.stdout], [0, 'No settings are set. The defaults are valid.\n']);
  const wrong = await run({ BERTH_LOG_LEVEL: 'verbose', BERTH_PROT: '80' }, 'check');
  assert.deepEqual([wrong.code, wrong.stdout], [1, '']);
  assert.match(wrong.stderr, /2 settings are wrong:/);
  assert.match(wrong.stderr, /BERTH_PROT is not a setting of Berth\. Did you mean BERTH_PORT\?/);
  assert.match(wrong.stderr, /BERTH_LOG_LEVEL must be one of/);
  assert.doesNotMatch(wrong.stderr, /\n +at /, 'no stack trace');
});

test('all settings are shown, except secrets', async () => {
  const env = {
    BERTH_HOST: '0.0.0.0',
    BERTH_OIDC_CLIENT_SECRET: 'canary-1',
    DATABASE_URL:
      'postgresql://berth:canary-2@db.example.com/berth?sslmode=verify-full&sslpassword=canary-3',
  };
  const { code, stdout } = await run(env, 'show');
  assert.equal(code, 0);
  assert.equal(stdout.trim().split('\n').length, settingNames.length + 1);
  assert.match(stdout, /^BERTH_HOST +0\.0\.0\.0 +set$/m);
  assert.match(stdout, /^BERTH_PORT +8080 +default$/m);
  // The secret is wrong without the other two settings of the provider.
  assert.match(stdout, /^BERTH_OIDC_CLIENT_SECRET +\(hidden\) +set, wrong$/m);
  assert.match(stdout, /^DATABASE_URL +postgresql:\/\/berth:\(hidden\)@db\.example\.com\/berth\?/m);
  assert.ok(!stdout.includes('canary'), stdout);
  const garbled = await run({ DATABASE_URL: 'canary@@' }, 'show');
  assert.ok(!garbled.stdout.includes('canary'), garbled.stdout);
});

test('all wrong settings of a file are listed by check, and marked by show', async () => {
  const gone = join(directory, 'gone.pem');
  const lines = {
    BERTH_PORT: '70000',
    BERTH_HOST: '127.0.0.1:8080',
    BERTH_DATA_DIR: file('not-a-directory', ''),
    BERTH_OIDC_CLIENT_ID: 'berth',
    BERTH_TLS_CERT: gone,
    BERTH_TLS_KEY: gone,
    DATABASE_URL: `postgresql://h/d?sslmode=verify-full&sslrootcert=${gone}`,
    BERTH_LOCAL: 'no',
    BERTH_LOG_LEVEL: 'loud',
    BERTH_LIMIT_READS: '5',
    BERTH_TRUST_PROXY: '0.0.0.0/0',
    BERTH_STOP_TIMEOUT: '',
    BERTH_POOL: 'x',
  };
  const text = Object.entries(lines).map(([name, value]) => `${name}=${value}\n`);
  const given = ['--file', file('wrong.env', text.join(''))];
  const { code, stdout, stderr } = await run({}, 'check', ...given);
  assert.deepEqual([code, stdout], [1, '']);
  // The certificate and its key count as one setting.
  assert.match(stderr, /^12 settings are wrong:$/m);
  const all = Object.keys(lines).filter(
    (name) => name !== 'BERTH_OIDC_CLIENT_ID' && name !== 'BERTH_TLS_KEY',
  );
  for (const words of [...all, 'An OpenID provider needs'])
    assert.ok(stderr.includes(words), words);
  const shown = await run({}, 'show', ...given);
  assert.equal(shown.code, 0);
  assert.match(shown.stdout, /^BERTH_PORT +70000 +set, wrong$/m);
  assert.match(shown.stdout, /^BERTH_OIDC_CLIENT_ID +berth +set, wrong$/m);
  assert.match(shown.stdout, /^BERTH_OIDC_ISSUER +none +default$/m);
  assert.match(shown.stderr, /"npm run config -- check" says which/);
});

test('an address that this machine does not have causes a note', async () => {
  const foreign = await run({ BERTH_HOST: '192.0.2.1' }, 'check');
  assert.equal(foreign.code, 0);
  assert.match(foreign.stderr, /^Note: This machine does not have the address 192\.0\.2\.1 now/);
  for (const BERTH_HOST of ['127.0.0.1', '127.0.0.9', '::', 'localhost']) {
    assert.equal((await run({ BERTH_HOST }, 'check')).stderr, '');
  }
});

test('files are parsed like those of systemd, and later ones take precedence', async () => {
  const one = file('one.env', '# all\nBERTH_PORT="8081"\nBERTH_HOST=0.0.0.0\n');
  const two = file('two.env', 'export BERTH_STOP_TIMEOUT=5\nBERTH_PORT=8082\n');
  const given = ['--file', one, '--file', two];
  const shown = await run({ BERTH_LOG_LEVEL: 'debug' }, 'show', ...given);
  assert.match(shown.stdout, /^BERTH_PORT +8082 +set$/m);
  assert.match(shown.stdout, /^BERTH_HOST +0\.0\.0\.0 +set$/m);
  assert.match(shown.stdout, /^BERTH_STOP_TIMEOUT +60 +default$/m);
  assert.match(
    shown.stdout,
    /^BERTH_LOG_LEVEL +warn +default$/m,
    'the environment of the shell is not used',
  );
  const checked = await run({}, 'check', ...given);
  assert.equal(checked.code, 0);
  assert.match(checked.stderr, /two\.env: Line 1 is ignored.*Leave "export" out/);
});

test('a file with a secret that others can read is reported', async () => {
  const open = file('open.env', 'DATABASE_URL=postgresql:///berth\n', 0o644);
  assert.match((await run({}, 'check', '--file', open)).stderr, /can be read by others: chmod 600/);
  const closed = file('closed.env', 'DATABASE_URL=postgresql:///berth\n');
  assert.equal((await run({}, 'check', '--file', closed)).stderr, '');
});

test('the key, host names and expiry of certificates are checked', async () => {
  const [own, other] = [join(directory, 'own'), join(directory, 'other')];
  for (const base of [own, other]) selfSigned(base);
  const tls = { BERTH_TLS_CERT: `${own}.crt`, BERTH_TLS_KEY: `${own}.key` };
  const named = { ...tls, BERTH_ALLOWED_HOSTS: 'berth.example.com' };
  const right = await run(named, 'check');
  assert.equal(right.code, 0, right.stderr);
  assert.match(right.stderr, /own\.crt expires at \d{4}-.*, in 1 days\./);
  assert.match(right.stderr, /own\.crt is not for berth\.example\.com/);
  const mixed = await run({ ...tls, BERTH_TLS_KEY: `${other}.key` }, 'check');
  assert.match(mixed.stderr, /other\.key is not the key of the certificate .*own\.crt/);
  const none = await run({ ...tls, BERTH_TLS_CERT: join(directory, 'none') }, 'check');
  assert.match(
    none.stderr,
    /none, which BERTH_TLS_CERT names, can't be read: it does not exist \(ENOENT\)/,
  );
  const noise = file('noise', 'x');
  const noisy = await run({ ...tls, BERTH_TLS_CERT: noise }, 'check');
  assert.match(noisy.stderr, /noise, which BERTH_TLS_CERT names, has no certificate in PEM format/);
  const DATABASE_URL = `postgresql://h/d?sslmode=verify-full&sslrootcert=${noise}`;
  const database = await run({ DATABASE_URL }, 'check');
  assert.match(database.stderr, /noise, which sslrootcert of DATABASE_URL names, has no certif/);
  for (const { code } of [mixed, none, noisy, database]) assert.equal(code, 1);
});

test('a service that is started with a wrong setting reports that without a stack trace', () => {
  const main = fileURLToPath(new URL('../main.ts', import.meta.url));
  const env = { BERTH_LOG_LEVEL: 'verbose', BERTH_DATA_DIR: join(directory, 'data') };
  try {
    execFileSync(process.execPath, [main], { env, stdio: 'pipe', encoding: 'utf8' });
    assert.fail('it started');
  } catch (error) {
    const { status, stderr } = error as { status: number; stderr: string };
    assert.equal(status, 1);
    assert.match(stderr, /^\nBERTH_LOG_LEVEL must be one of .*\nCorrect it, or unset it/);
  }
});

test('usage errors have the exit status 2', async () => {
  for (const args of [['frob'], ['check', 'more'], ['--colour']]) {
    assert.equal((await run({}, ...args)).code, 2, args.join(' '));
  }
  assert.match((await run({}, 'frob')).stderr, /^Unknown command 'frob'/);
  const gone = await run({}, 'check', '--file', join(directory, 'gone.env'));
  assert.match(gone.stderr, /gone\.env can't be read: it does not exist \(ENOENT\)/);
});

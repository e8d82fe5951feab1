import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import type { EngineConsole } from '../../service/src/incus/consoles.ts';
import { failsWith } from './assertions.ts';
import { createInstance, powerCut, start } from './guests.ts';
import { cleanUpWith, until, useTarget } from './target.ts';

const target = useTarget();
let name: string;
/** Of "contract". */
const hash =
  '$6$contract$XywwBBtoHmPiUwSKajjd4Vuy89X090dqzgrxzgZMGCbGszuF7vVLCLlsedI8dP80TTwZNSRFTit8Uxb1buJn6.';

interface Opened extends EngineConsole {
  text(): string;
  isClosed(): boolean;
  type(text: string): void;
}

async function open(): Promise<Opened> {
  const console = await target.client.consoles.open(name, {});
  cleanUpWith(async () => console.close());
  let shown = '';
  let isClosed = false;
  console.data.on('message', (bytes: Buffer) => {
    shown += bytes.toString();
  });
  console.data.on('close', () => {
    isClosed = true;
  });
  console.data.resume();
  return {
    ...console,
    text: () => shown,
    isClosed: () => isClosed,
    type: (text) => console.data.send(Buffer.from(text)),
  };
}

const log = async (most = 64 * 1024) =>
  (await target.client.consoles.log(name, most, {})).toString();

describe('the console of an instance', () => {
  before(async () => {
    ({ name } = await createInstance(target, 'console'));
  });

  it('is not shown unless the instance is running', async () => {
    await assert.rejects(open(), failsWith('busy', /^Instance is not running$/));
  });

  it('keeps what the guest prints before anybody watches', async () => {
    await start(target, name);
    await until('the login prompt', 120, async () => /login: $/.test(await log()));
    assert.equal((await log(7)).length, 7);
  });

  it('shows what is typed, and has the size that is set', async () => {
    const set = ['chpasswd', '-e'];
    await target.client.exec.run(name, set, `root:${hash}\n`, { timeoutSeconds: 30 });
    const console = await open();
    console.type('root\r');
    await until('the question for a password', 60, () => /Password: $/.test(console.text()));
    console.type('contract\r');
    await until('the prompt of a shell', 60, () => /[$#] $/.test(console.text()));
    const size = ['stty', '-F', '/dev/console', 'cols', '123', 'rows', '45'];
    assert.equal(await target.client.exec.run(name, size, '', { timeoutSeconds: 30 }), 0);
    console.type('stty size\r');
    await until('its size', 60, () => /\n45 123\r/.test(console.text()));
    console.type('echo one-$((1))\r');
    await until('the echo', 60, () => console.text().includes('echo one-$((1))'));
    console.close();
    await until('it is in the log', 60, async () => (await log()).includes('echo one-'));
  });

  it('is taken over by the next who opens it', async () => {
    const first = await open();
    const second = await open();
    await until('the first is closed', 60, first.isClosed);
    second.type('echo taken\r');
    await until('the second has it', 60, () => second.text().includes('echo taken'));
    assert.ok(!first.text().includes('echo taken'));
    second.close();
  });

  it('can be opened again at once', async () => {
    for (let times = 0; times < 5; times += 1) {
      const console = await open();
      console.type('\r');
      await until('it answers', 60, () => console.text().length > 0);
      console.close();
    }
  });

  it('is not read faster than its client reads', async () => {
    const console = await open();
    console.data.pause();
    console.type('yes | head -c 30000000\r');
    // What is between the two is full before so much has passed.
    await until('it waits', 60, () => console.data.bufferedAmount === 0);
    console.data.resume();
    await until('all of it has come', 120, () => console.text().length >= 30_000_000);
    console.close();
  });

  it('ends with the instance', async () => {
    const console = await open();
    await powerCut(target, name);
    await until('it is closed', 60, console.isClosed);
  });

  it('is not shown while the instance is frozen', async () => {
    await start(target, name);
    await target.administrator.freeze(name);
    await assert.rejects(open(), failsWith('invalid', /^Instance is frozen$/));
    await powerCut(target, name);
  });
});

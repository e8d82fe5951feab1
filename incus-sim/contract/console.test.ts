import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import type { EngineConsole } from '../../service/src/incus/consoles.ts';
import { isUnderWay } from '../../service/src/incus/operations.ts';
import { failsWith } from './assertions.ts';
import { createInstance, powerCut, settled, start } from './guests.ts';
import { cleanUpWith, until, useTarget } from './target.ts';

const target = useTarget();
let name: string;
/** Of "contract". */
const hash =
  '$6$contract$XywwBBtoHmPiUwSKajjd4Vuy89X090dqzgrxzgZMGCbGszuF7vVLCLlsedI8dP80TTwZNSRFTit8Uxb1buJn6.';

interface Opened extends EngineConsole {
  text(): string;
  /** The last of the text. */
  end(): string;
  isClosed(): boolean;
  type(text: string): void;
}

/** Opens the console. What is typed before Incus has connected it to the guest is lost, so it is used once the guest answers. */
async function use(): Promise<Opened> {
  const console = await open();
  let typedAt = Number.NEGATIVE_INFINITY;
  await until('the guest answers', 60, () => {
    if (performance.now() - typedAt > 1000) {
      typedAt = performance.now();
      console.type('\r');
    }
    return console.text().length > 0;
  });
  return console;
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
    end: () => shown.slice(-100),
    isClosed: () => isClosed,
    type: (text) => console.data.send(Buffer.from(text)),
  };
}

/** Whether the operation of Incus that shows it has not ended yet. */
const isShown = async ({ operation }: Opened) => {
  const found = await target.client.operations.get(operation);
  return found !== null && isUnderWay(found);
};

const log = async (most = 64 * 1024) =>
  (await target.client.consoles.log(name, most, {})).toString();

describe('the console of an instance', () => {
  before(async () => {
    ({ name } = await createInstance(target, 'console'));
  });

  it('is not shown unless the instance is running', async () => {
    await assert.rejects(open(), failsWith('busy', /^Instance is not running$/));
  });

  it('keeps what the guest prints before anybody watches, and tells it once', async () => {
    await start(target, name);
    let kept = '';
    await until('the login prompt', 120, async () => {
      kept += await log();
      return kept.includes('login: ');
    });
    assert.doesNotMatch(await log(), /login: /);
  });

  it('shows what is typed, and has the size that is set', async () => {
    const set = ['chpasswd', '-e'];
    await target.client.exec.run(name, set, `root:${hash}\n`, { timeoutSeconds: 30 });
    const console = await use();
    await until('the prompt', 60, () => /login: $/.test(console.text()));
    console.type('root\r');
    await until('the question for a password', 60, () => /Password: $/.test(console.text()));
    console.type('contract\r');
    await until('the prompt of a shell', 60, () => /[$#] $/.test(console.text()));
    const size = ['stty', '-F', '/dev/console', 'cols', '123', 'rows', '45'];
    assert.equal(await target.client.exec.run(name, size, '', { timeoutSeconds: 30 }), 0);
    console.type('stty size\r');
    await until('its size', 60, () => /[\r\n]45 123\r+\n/.test(console.text()));
    console.type('echo one-$((1))\r');
    await until('the echo', 60, () => console.text().includes('echo one-$((1))'));
    console.close();
    await until('it is in the log', 60, async () => (await log()).includes('echo one-'));
  });

  it('is taken over by the next who opens it', async () => {
    const first = await open();
    const second = await use();
    await until('the first is closed', 60, first.isClosed);
    second.type('echo taken\r');
    await until('the second has it', 60, () => second.text().includes('echo taken'));
    assert.ok(!first.text().includes('echo taken'));
    second.close();
  });

  it('can be opened again at once', async () => {
    for (let times = 0; times < 5; times += 1) {
      const console = await use();
      console.close();
    }
  });

  it('is not read faster than its client reads', async () => {
    const console = await use();
    console.data.pause();
    console.type('yes | head -c 10000000\r');
    // What is between the two is full before so much has passed.
    await until('it waits', 60, () => console.data.bufferedAmount === 0);
    console.data.resume();
    // LXC waits without end for a client that leaves while it prints, so that the instance can no longer be used.
    const isAll = () => console.text().length >= 10_000_000 && /[$#] $/.test(console.end());
    await until('all of it has come', 120, isAll);
    console.close();
  });

  for (const action of ['restart', 'stop'] as const) {
    it(`stays open after a ${action} of the instance, until its client leaves`, async () => {
      const console = await use();
      await settled(
        target.client,
        target.client.instances.updateState(name, { action, force: true }),
      );
      assert.equal(console.isClosed(), false);
      assert.equal(await isShown(console), true);
      console.close();
      await until('it has ended', 60, async () => !(await isShown(console)));
    });
  }

  it('ends when something is typed after the end of the run', async () => {
    await start(target, name);
    const console = await use();
    const { last_used_at: began } = (await target.client.instances.get(name)) ?? {};
    await settled(
      target.client,
      target.client.instances.updateState(name, { action: 'restart', force: true }),
    );
    console.type('x');
    await until('it is closed', 60, console.isClosed);
    await until('its operation has ended', 60, async () => !(await isShown(console)));
    assert.notEqual((await target.client.instances.get(name))?.last_used_at, began);
    const next = await use();
    next.close();
  });

  it('is not shown while the instance is frozen', async () => {
    await target.administrator.freeze(name);
    await assert.rejects(open(), failsWith('invalid', /^Instance is frozen$/));
    await powerCut(target, name);
  });
});

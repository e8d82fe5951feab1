import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

const program = fileURLToPath(new URL('fastify-program.ts', import.meta.url));

/** Starts the Fastify of the baselines on a database, until it is disposed. */
export async function fastifyOn(connectionString: string) {
  const child = spawn(process.execPath, [program, connectionString], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = once(child, 'exit');
  const failed = ended.then(([code]) => {
    throw new Error(`${program} ended with ${code}.`);
  });
  const [port] = await Promise.race([once(child.stdout, 'data'), failed]);
  failed.catch(() => undefined);
  return {
    url: `http://127.0.0.1:${String(port).trim()}`,
    pid: child.pid ?? 0,
    async [Symbol.asyncDispose]() {
      child.kill();
      await ended;
    },
  };
}

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Io } from './io.ts';

type Env = Io['env'];

/** Opens a page in the browser of the person. False if that is not possible here. */
export async function openBrowser(page: string, env: Env = process.env): Promise<boolean> {
  const command = commandFor(process.platform, env);
  if (!command) return false;
  const [program = '', ...args] = command;
  const child = spawn(program, [...args, page], { env, detached: true, stdio: 'ignore' });
  try {
    await once(child, 'spawn');
  } catch {
    // There is no such program. The page is printed as well.
    return false;
  }
  child.unref();
  return true;
}

/** Undefined where a browser would have no screen: xdg-open(1) may then start one in the terminal. */
export function commandFor(platform: NodeJS.Platform, env: Env): string[] | undefined {
  if (env.BROWSER) return env.BROWSER.trim().split(/\s+/);
  if (platform === 'darwin') return ['open'];
  if (platform === 'win32') return ['rundll32', 'url.dll,FileProtocolHandler'];
  return env.DISPLAY || env.WAYLAND_DISPLAY ? ['xdg-open'] : undefined;
}

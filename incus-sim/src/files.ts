import { posix } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { type Answer, done, sync } from './answers.ts';
import { refuseFiles } from './disks.ts';
import type { Engine } from './engine.ts';
import { askedInstance } from './inventory.ts';
import type { Instance } from './model.ts';
import { reportAct } from './power.ts';
import { refuse } from './refusal.ts';
import type { Call, Routes } from './router.ts';
import { childrenOf, type Entry, normal, readEntry, removeEntry } from './tree.ts';

export function fileRoutes(engine: Engine): Routes {
  return {
    'HEAD /1.0/instances/:name/files': (call) => look(engine, call),
    'GET /1.0/instances/:name/files': (call) => pull(engine, call),
    'POST /1.0/instances/:name/files': (call) => push(engine, call),
    'DELETE /1.0/instances/:name/files': (call) => remove(engine, call),
  };
}

/** Incus accesses files by SFTP, and returns its errors. */
const sftpFailure = (what: string) => refuse(`sftp: "${what}" (SSH_FX_FAILURE)`);
const notFound = () => refuse('Not Found', 404);

function asked(engine: Engine, call: Call): { instance: Instance; path: string } {
  const instance = askedInstance(engine, call);
  refuseFiles(instance);
  const path = call.query.get('path');
  return { instance, path: path ? normal(path) : refuse('Missing path argument', 400) };
}

function entryAt(instance: Instance, path: string): Entry {
  if (readEntry(instance.files, posix.dirname(path))?.type === 'file') {
    sftpFailure(`lstat ${path}: not a directory`);
  }
  return readEntry(instance.files, path) ?? notFound();
}

/** Does not open the file, and returns its length without a body. */
function look(engine: Engine, call: Call): Answer {
  const { instance, path } = asked(engine, call);
  const entry = entryAt(instance, path);
  const isFile = entry.type === 'file' || entry.type === 'fifo';
  const length = isFile ? { 'content-length': String(entry.content.length) } : {};
  return { status: 200, headers: { ...headersOf(entry), ...length }, body: '' };
}

function pull(engine: Engine, call: Call): Answer {
  const { instance, path } = asked(engine, call);
  const entry = entryAt(instance, path);
  // Nothing writes to it, so opening it blocks forever.
  if (entry.type === 'fifo') return { status: 200, headers: {}, body: new Promise(() => {}) };
  reportAct(engine, instance, 'instance-file-retrieved', { context: { path }, requested: false });
  const headers = headersOf(entry);
  if (entry.type === 'directory') return sync(childrenOf(instance.files, path), headers);
  return {
    status: 200,
    headers: {
      'content-type': 'application/octet-stream',
      'content-disposition': `inline;filename=${posix.basename(path)}`,
      ...headers,
    },
    body: entry.content,
  };
}

function headersOf({ type, uid, gid, mode }: Entry): Record<string, string> {
  return {
    'x-incus-type': type === 'fifo' ? 'file' : type,
    'x-incus-uid': String(uid),
    'x-incus-gid': String(gid),
    'x-incus-mode': mode.toString(8).padStart(4, '0'),
  };
}

/**
 * Owner and mode are those of the first push, because Incus sets them only on new files, after the content. An existing
 * file is emptied first, so that an interrupted push leaves a part.
 */
async function push(engine: Engine, call: Call): Promise<Answer> {
  const { instance, path } = asked(engine, call);
  const content = await buffer(call.body);
  const { files } = instance;
  if (!readEntry(files, posix.dirname(path))) notFound();
  const there = readEntry(files, path);
  const entry = newEntry(call, content);
  if (entry.type === 'directory' && there) return done();
  if (there?.type === 'directory') sftpFailure(`open ${path}: is a directory`);
  const { pushFault } = call;
  if (pushFault && entry.type === 'file') {
    const part = content.subarray(0, pushFault.bytes);
    files.set(path, { ...entry, uid: 0, gid: 0, mode: 0o644, ...there, content: part });
    refuse(pushFault.text, pushFault.status);
  }
  files.set(path, there ? { ...there, content } : entry);
  reportAct(engine, instance, 'instance-file-pushed', { context: { path }, requested: false });
  return done();
}

function newEntry({ headers }: Call, content: Buffer): Entry {
  const type = headers['x-incus-type'] ?? 'file';
  if (type !== 'file' && type !== 'directory' && type !== 'symlink') {
    refuse(`Bad file type: ${type}`, 400);
  }
  return {
    type,
    uid: Number(headers['x-incus-uid'] ?? 0),
    gid: Number(headers['x-incus-gid'] ?? 0),
    mode: Number.parseInt(String(headers['x-incus-mode'] ?? '0644'), 8),
    content,
  };
}

function remove(engine: Engine, call: Call): Answer {
  const { instance, path } = asked(engine, call);
  if (!readEntry(instance.files, path)) notFound();
  if (childrenOf(instance.files, path).length > 0) {
    sftpFailure(`remove ${path}: directory not empty`);
  }
  removeEntry(instance.files, path);
  reportAct(engine, instance, 'instance-file-deleted', { context: { path }, requested: false });
  return done();
}

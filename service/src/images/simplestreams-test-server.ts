import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { machineArchitecture } from '../operating-systems/catalogue.ts';

const run = promisify(execFile);

export interface ImageServer {
  url: string;
  certificate: string;
  /** The requested paths, in order. */
  requests: string[];
  close(): Promise<void>;
}

/** An image server with one tiny image, `tiny/1/cloud`, on HTTPS with a certificate of its own. */
export async function startImageServer(folder: string): Promise<ImageServer> {
  const { cert, key } = await selfSigned(folder);
  const files = await imageFiles(folder);
  const requests: string[] = [];
  const server = createServer({ cert, key }, (request, response) => {
    const path = request.url ?? '';
    requests.push(path);
    const body = files.get(path);
    if (!body) return response.writeHead(404).end();
    response.writeHead(200, { 'content-length': body.length }).end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const close = async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  };
  const { port } = server.address() as AddressInfo;
  return { url: `https://127.0.0.1:${port}`, certificate: cert, requests, close };
}

async function selfSigned(folder: string): Promise<{ cert: string; key: string }> {
  const [keyPath, certPath] = [join(folder, 'key.pem'), join(folder, 'cert.pem')];
  const subject = ['-subj', '/CN=127.0.0.1', '-addext', 'subjectAltName=IP:127.0.0.1'];
  const curve = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1'];
  const files = ['-keyout', keyPath, '-out', certPath];
  await run('openssl', ['req', '-x509', ...curve, '-nodes', '-days', '2', ...subject, ...files]);
  return { cert: await readFile(certPath, 'utf8'), key: await readFile(keyPath, 'utf8') };
}

async function imageFiles(folder: string): Promise<Map<string, Buffer>> {
  const root = join(folder, 'root');
  await mkdir(join(root, 'sbin'), { recursive: true });
  await writeFile(join(root, 'sbin/init'), '');
  // The fingerprint depends on the content, which differs for each run so that runs do not share an
  // image.
  await writeFile(join(root, 'folder'), folder);
  const rootfsPath = join(folder, 'rootfs.squashfs');
  await run('mksquashfs', [root, rootfsPath, '-quiet', '-no-progress', '-all-root']);
  const metadata = { architecture: machineArchitecture(), creation_date: 1, properties: {} };
  await writeFile(join(folder, 'metadata.yaml'), JSON.stringify(metadata));
  await run('tar', ['-cJf', join(folder, 'incus.tar.xz'), '-C', folder, 'metadata.yaml']);
  const meta = await readFile(join(folder, 'incus.tar.xz'));
  const rootfs = await readFile(rootfsPath);
  return new Map([
    ['/streams/v1/index.json', json(index())],
    ['/streams/v1/images.json', json(products(meta, rootfs))],
    ['/incus.tar.xz', meta],
    ['/rootfs.squashfs', rootfs],
  ]);
}

const product = 'tiny:1:machine:cloud';

function index() {
  const images = {
    datatype: 'image-downloads',
    path: 'streams/v1/images.json',
    format: 'products:1.0',
    products: [product],
  };
  return { format: 'index:1.0', index: { images } };
}

function products(meta: Buffer, rootfs: Buffer) {
  const items = {
    'incus.tar.xz': {
      ...item('incus.tar.xz', 'incus.tar.xz', meta),
      combined_squashfs_sha256: sha256(meta, rootfs),
    },
    'root.squashfs': item('squashfs', 'rootfs.squashfs', rootfs),
  };
  const entry = {
    aliases: 'tiny/1/cloud',
    arch: process.arch === 'arm64' ? 'arm64' : 'amd64',
    os: 'Tiny',
    release: '1',
    release_title: '1',
    variant: 'cloud',
    versions: { '20260101_00:00': { items } },
  };
  return { format: 'products:1.0', datatype: 'image-downloads', products: { [product]: entry } };
}

function item(ftype: string, path: string, content: Buffer) {
  return { ftype, path, size: content.length, sha256: sha256(content) };
}

function sha256(...parts: Buffer[]): string {
  return createHash('sha256').update(Buffer.concat(parts)).digest('hex');
}

function json(value: unknown): Buffer {
  return Buffer.from(JSON.stringify(value));
}

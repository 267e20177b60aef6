import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, it } from 'vitest';
import { safeName } from '../../src/cli/files.ts';
import { v1Card } from '../support/cards.ts';
import { newFolder } from '../support/folders.ts';
import { openGateway } from '../support/gateway.ts';
import { inProcess, type Outcome } from '../support/in-process.ts';
import { bodyOf, sendJson, serve } from '../support/peer.ts';

let folder = '';

const gateway = await openGateway('agents: { demo: { kind: reference } }\n');
beforeEach(() => {
  folder = newFolder();
});

const run = (...args: string[]): Promise<Outcome> => inProcess(args);
const inFolder = (name: string): string => join(folder, name);

/** An agent that answers every message with these parts. */
async function answering(parts: (origin: string) => readonly object[]): Promise<string> {
  let origin = '';
  origin = await serve(async (req, res) => {
    if (req.url === '/note.txt') return res.end(`key ${req.headers['x-api-key']}`);
    if (req.url === '/broken.bin') {
      res.writeHead(200, { 'Content-Length': 1000 }).write('x');
      return void setImmediate(() => res.destroy());
    }
    if (req.method !== 'POST') {
      if (req.url !== '/.well-known/agent-card.json') return res.writeHead(404).end();
      return sendJson(res, v1Card(origin));
    }
    const { id } = JSON.parse(await bodyOf(req));
    const message = { messageId: 'm', role: 'ROLE_AGENT', parts: parts(origin) };
    return sendJson(res, { jsonrpc: '2.0', id, result: { message } });
  });
  return origin;
}

const raw = (filename: string | undefined, text = 'x') => ({
  raw: Buffer.from(text).toString('base64'),
  ...(filename !== undefined && { filename }),
});

it('--out writes files into a folder, and numbers those whose names are taken', async () => {
  const out = inFolder('new/deep/');
  for (const args of [
    ['send', gateway.url, 'file'],
    ['send', gateway.url, 'file', '--stream'],
  ]) {
    const { code, stderr } = await run(...args, '--out', out);
    expect([code, stderr]).toEqual([0, expect.stringMatching(/^saved .*new\/deep\/pixel(-2)?\.png \(\d+ bytes\)\n$/)]);
  }
  expect(readdirSync(out).sort()).toEqual(['pixel-2.png', 'pixel.png']);
  expect(readFileSync(join(out, 'pixel.png')).subarray(1, 4).toString()).toBe('PNG');
});

it('--out writes the files of a task that is shown or followed', async () => {
  const { stdout } = await run('send', gateway.url, 'file', '--json');
  const { id } = JSON.parse(stdout).task;
  await run('task', 'get', gateway.url, id, '--out', folder);
  await run('task', 'watch', gateway.url, id, '--out', folder);
  expect(readdirSync(folder).sort()).toEqual(['pixel-2.png', 'pixel.png']);
});

it('--out writes the first file to a file, and the others beside it', async () => {
  const url = await answering(() => [raw('a.txt', 'one'), raw('b.txt', 'two')]);
  const { code, stderr } = await run('send', url, 'x', '--out', inFolder('my.bin'));
  expect([code, stderr]).toEqual([
    0,
    `saved ${inFolder('my.bin')} (3 bytes)\nsaved ${inFolder('my-2.bin')} (3 bytes)\n`,
  ]);
  expect(readFileSync(inFolder('my-2.bin'), 'utf8')).toBe('two');
});

it('--out never leaves the folder, whatever an agent names its files', async () => {
  const inside = inFolder('inside');
  mkdirSync(inside);
  writeFileSync(inFolder('target.txt'), 'mine');
  symlinkSync(inFolder('target.txt'), join(inside, 'link.txt'));
  const names = [
    '../target.txt',
    '/etc/passwd',
    '..\\target.txt',
    '..',
    '.bashrc',
    'a\u001b[2J/b\u0000c.txt',
    'link.txt',
    undefined,
  ];
  const url = await answering(() => names.map((name) => raw(name)));
  expect((await run('send', url, 'x', '--out', inside)).code).toBe(0);
  expect(readFileSync(inFolder('target.txt'), 'utf8')).toBe('mine');
  expect(readdirSync(folder).sort()).toEqual(['inside', 'target.txt']);
  expect(readdirSync(inside).sort()).toEqual(
    ['target.txt', 'passwd', 'target-2.txt', 'file', 'bashrc', 'bc.txt', 'link.txt', 'link-2.txt', 'file-2'].sort(),
  );
});

it('--out reads files at URLs of the same host with the credentials, and no others', async () => {
  const url = await answering((origin) => [
    { url: `${origin}/note.txt`, filename: 'note.txt' },
    { url: 'http://elsewhere.invalid/secret.txt', filename: 'secret.txt' },
    { url: 'file:///etc/passwd' },
  ]);
  const { code, stderr } = await run('send', url, 'x', '--out', folder, '--api-key', 'the-key');
  expect(code).toBe(0);
  expect(readdirSync(folder)).toEqual(['note.txt']);
  expect(readFileSync(inFolder('note.txt'), 'utf8')).toBe('key the-key');
  expect(stderr).toContain('not saved: secret.txt is at http://elsewhere.invalid/secret.txt, on another host\n');
});

it('--out leaves no part of a file whose content breaks off', async () => {
  const url = await answering((origin) => [{ url: `${origin}/broken.bin` }]);
  expect((await run('send', url, 'x', '--out', inFolder('new/'))).code).toBe(1);
  expect(readdirSync(inFolder('new'))).toEqual([]);
});

it('--out says when there is none, and without --out how many there are', async () => {
  expect((await run('send', gateway.url, 'say hi', '--out', folder)).stderr).toBe('the answer has no files\n');
  expect((await run('send', gateway.url, 'file')).stderr).toBe('1 file in the answer; --out FOLDER saves them\n');
});

it.each([
  [['exists.txt'], /^error: --out: .*exists\.txt exists, and is not overwritten\n$/],
  [['no/folder.txt'], /^error: --out: there is no folder .*no\n$/],
  [['exists.txt/'], /^error: --out: .*exists\.txt\/ is a file\n$/],
])('--out refuses %j before anything is sent', async ([path = ''], said) => {
  writeFileSync(inFolder('exists.txt'), '');
  const { code, stderr } = await run('send', 'http://localhost:1', 'x', '--out', inFolder(path));
  expect([code, stderr]).toEqual([2, expect.stringMatching(said)]);
});

it.each([
  ['report.pdf', 'report.pdf'],
  ['a/b/c.txt', 'c.txt'],
  ['C:\\x\\y.txt', 'y.txt'],
  ['...hidden.', 'hidden'],
  ['con.txt', '_con.txt'],
  ['a<b>:c?.txt', 'abc.txt'],
  ['/', 'file.png'],
  ['', 'file.png'],
  [`${'x'.repeat(300)}.txt`, `${'x'.repeat(96)}.txt`],
  ['naïve – ü.txt', 'naïve – ü.txt'],
])('a safe name of %j is %j', (filename, name) => expect(safeName({ filename, mediaType: 'image/png' })).toBe(name));

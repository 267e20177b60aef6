import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import patterns from '../../examples/guards/patterns.ts';
import type { GuardQuestion } from '../../src/index.ts';
import { inProcess } from '../support/in-process.ts';
import { afterTest, bodyOf, freePort, listenOn, sendJson } from '../support/peer.ts';

const folder = fileURLToPath(new URL('../../examples/guards/', import.meta.url));

it('the cases of the example with patterns pass', async () => {
  const { code, stdout } = await inProcess(['guard', 'test', `${folder}guards.test.yaml`]);
  expect(stdout).toContain('6 cases passed');
  expect(code).toBe(0);
});

it('the example with patterns keeps parts that it does not replace', async () => {
  const url = 'https://files.example/report.pdf';
  const question = { parts: [{ text: 'AKIAABCDEFGHIJKLMNOP' }, { url }] } as unknown as GuardQuestion;
  expect(await patterns(question, { signal: new AbortController().signal })).toMatchObject({
    action: 'replace',
    parts: [{ text: '[an API key was removed]' }, { url }],
  });
});

it('the judge in front of a moderation API blocks what that flags, and fails where the API does', async () => {
  const asked: unknown[] = [];
  const { origin } = await listenOn(
    createServer(async (req, res) => {
      const { input } = JSON.parse(await bodyOf(req)) as { readonly input: string };
      asked.push([req.headers.authorization, input]);
      const flagged = input.includes('hateful');
      if (input.includes('broken')) res.writeHead(500).end();
      else sendJson(res, { id: 'modr-1', results: [{ flagged, categories: { hate: flagged, violence: false } }] });
    }),
  );
  const port = await freePort();
  const env = { ...process.env, PORT: `${port}`, MODERATION_URL: origin, MODERATION_KEY: 'a-key' };
  const judge = spawn(process.execPath, [`${folder}moderation.ts`], { env, stdio: ['ignore', 'pipe', 'ignore'] });
  afterTest(async () => {
    judge.kill();
    if (judge.exitCode === null) await once(judge, 'exit');
  });
  await once(judge.stdout as Readable, 'data');
  const ask = async (parts: object[], more: object = {}) => {
    const answer = await fetch(`http://localhost:${port}`, {
      method: 'POST',
      body: JSON.stringify({ parts, ...more }),
    });
    return answer.status === 200 ? answer.json() : answer.status;
  };
  expect(await ask([{ text: 'kind' }])).toEqual({ action: 'allow' });
  expect(await ask([{ text: 'ful' }], { window: 'hate' })).toEqual({ action: 'block', reason: 'hate' });
  expect(await ask([{ url: 'https://files.example/a.png' }])).toEqual({ action: 'allow' });
  expect(await ask([{ text: 'broken' }])).toBe(503);
  expect(asked).toEqual([
    ['Bearer a-key', 'kind'],
    ['Bearer a-key', 'hateful'],
    ['Bearer a-key', 'broken'],
  ]);
});

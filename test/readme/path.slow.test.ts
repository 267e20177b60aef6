import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type ChatModel, startChatModel } from '../support/chat-model.ts';
import { nginx } from '../support/nginx.ts';
import { paced } from '../support/pace.ts';
import { afterTest } from '../support/peer.ts';
import { query, startPostgres } from '../support/postgres.ts';
import { blocksOfLeg, type Leg, type Toll, Walk } from './walk.ts';

/**
 * The way of a reader who knows nothing: from a clone to a first call, to an agent with a language model, to gRPC in Python,
 * and to two replicas behind nginx. The commands are those of the pages, with npm's real programs and the packed package.
 */

const root = fileURLToPath(new URL('../../', import.meta.url));

const readme: Leg = {
  page: 'README.md',
  chapters: ['Start', 'Call an agent', 'Install the library and the command'],
};
const model: Leg = { page: 'docs/guides/models.md', chapters: ['OpenAI SDK'] };
// The definitions also come from grpcurl, without npm.
const python: Leg = { page: 'docs/guides/grpc.md', chapters: ['Start a gateway', 'Python'], except: /^grpcurl/ };
const replicas: Leg = { page: 'docs/operate/proxies.md', chapters: ['Try it on your machine'] };
const legs = [readme, model, python, replicas];

const thePackage = 'node_modules/a2a-gateway of README.md';
const timeout = paced(600_000);
const lacksPython = spawnSync('python3', ['-m', 'venv', '--help']).status !== 0;

let chat: ChatModel;
let walk: Walk;

beforeAll(async () => {
  chat = await startChatModel();
  walk = await Walk.begin(legs, { MODEL_URL: chat.url }, AbortSignal.timeout(timeout));
}, timeout);

afterAll(async () => {
  for (const [command, seconds] of walk.seconds) console.log(`${seconds.toFixed(1).padStart(6)} s  ${command}`);
  await walk.close();
  await chat.close();
}, timeout);

/** Follows a page. Each look-up is at a page that this one links. */
async function followed(leg: Leg): Promise<Toll> {
  const toll = await walk.follow(leg);
  const text = readFileSync(join(root, leg.page), 'utf8');
  for (const lookUp of toll.lookUps) {
    const other = relative(dirname(leg.page), lookUp.replace(/^.* of /, ''));
    expect(text, `${leg.page} needs ${lookUp}`).toContain(`](${other}`);
  }
  return toll;
}

it('the README leads to each page of the path', () => {
  const text = readFileSync(join(root, readme.page), 'utf8');
  for (const { page } of legs.slice(1)) expect(text).toContain(`](${page})`);
});

it('from a clone, a stranger makes a first call and a project of their own in eight steps', { timeout }, async () => {
  expect(await followed(readme)).toEqual({ page: 'README.md', steps: 8, lookUps: [] });
});

it('a stranger gets a streamed answer of a model, and answers its question', { timeout }, async () => {
  expect(await followed(model)).toEqual({ page: model.page, steps: 6, lookUps: [thePackage] });
});

it.skipIf(lacksPython)('a stranger calls an agent over gRPC from Python', { timeout }, async () => {
  expect(await followed(python)).toEqual({ page: python.page, steps: 5, lookUps: [thePackage] });
});

it.skipIf(nginx === undefined)('a stranger runs two replicas behind nginx, and stops one', { timeout }, async () => {
  const [, port = ''] = /:(\d+)$/.exec(walk.translate('localhost:5432')) ?? [];
  const database = await startPostgres([], Number(port));
  afterTest(() => database.stop());
  // The page shows how to make the role and its database in a server that is there already.
  const statements = blocksOfLeg(replicas).flatMap(({ text }) => [...text.matchAll(/-c (["'])(create .+?)\1/g)]);
  expect(statements.length).toBe(2);
  for (const [, , statement = ''] of statements) await query(database.url, statement);
  const stopNginx = (): void => {
    const file = join(walk.folder, 'nginx.pid');
    if (existsSync(file)) process.kill(Number(readFileSync(file, 'utf8')));
  };
  afterTest(stopNginx);
  expect(await followed(replicas)).toEqual({ page: replicas.page, steps: 9, lookUps: [thePackage] });
});

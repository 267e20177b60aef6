import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { newKey } from '../../../src/auth/hash.ts';
import { loadConfig } from '../../../src/config/index.ts';
import { createGateway } from '../../../src/gateway/compose/gateway.ts';
import { type AdminRefused, askAdmin } from '../../support/admin.ts';
import { printed, startCli } from '../../support/cli.ts';
import { silent } from '../../support/core.ts';
import { newFolder } from '../../support/folders.ts';
import { adminKeysOf, openGateway } from '../../support/gateway.ts';
import { afterTest } from '../../support/peer.ts';

/** The active configuration, and reloads that an operator asks for. */

function folderOf(): { readonly file: string; write(text: string): void } {
  const folder = newFolder();
  const file = join(folder, 'gateway.yaml');
  return { file, write: (text) => writeFileSync(file, text) };
}

const refusal = async (call: Promise<unknown>): Promise<AdminRefused> =>
  call.then(
    () => expect.fail('the call was accepted'),
    (thrown: AdminRefused) => thrown,
  );

describe('a gateway with a configuration file', () => {
  const text = (agents: string, more = ''): string => `store: "memory:"\nagents: { ${agents} }\n${more}`;

  async function start(first: string) {
    const { file, write } = folderOf();
    write(first);
    const read = () => loadConfig(file, { port: 0 });
    const opened = await openGateway(await read(), { rereadConfig: read });
    return { ...opened, file, write };
  }

  it('a gateway with a configuration file shows its settings, where they come from, and since when they are active', async () => {
    const began = Date.now();
    const { url, file } = await start(text('demo: { kind: reference }', 'limits: { answer: 30s }\n'));
    const config = await askAdmin(url, 'GetConfig', {});
    expect(config).toMatchObject({
      file,
      reloadable: true,
      settings: { limits: { answer: '30s', body: '10MiB' }, agents: { demo: { kind: 'reference' } } },
    });
    expect(Date.parse(config.activeSince ?? '')).toBeGreaterThanOrEqual(began);
  });

  it('a gateway with a configuration file reads its file again, and says what has changed and what takes a restart', async () => {
    const { url, write } = await start(text('demo: { kind: reference }, old: { kind: reference }'));
    const { activeSince = '' } = await askAdmin(url, 'GetConfig', {});
    await new Promise((resolve) => setTimeout(resolve, 5));
    write(text('demo: { kind: reference }, new: { kind: reference }', 'durability: full\nlimits: { answer: 20s }\n'));
    expect(await askAdmin(url, 'ReloadConfig', {})).toEqual({
      added: ['new'],
      changed: [],
      removed: ['old'],
      endedStreams: 0,
      restart: ['durability'],
    });
    const after = await askAdmin(url, 'GetConfig', {});
    // Settings that need a restart are not active.
    expect(after.settings).toMatchObject({ durability: 'process', limits: { answer: '20s' } });
    expect(Object.keys((after.settings as { agents: object }).agents)).toEqual(['demo', 'new']);
    expect(Date.parse(after.activeSince ?? '')).toBeGreaterThan(Date.parse(activeSince));
  });

  it.each([
    ['a wrong value', 'limits: { answer: soon }\n', 'limits.answer', /^expected a duration.*gateway\.yaml:3\)$/],
    ['an unknown key', 'limitz: {}\n', 'limitz', /did you mean limits/],
    ['settings that cannot be used', 'cards: { signing: { key: /none.pem } }\n', undefined, undefined],
    ['a file that cannot be read', 'auth: { module: ./none.mjs }\n', 'auth.module', /cannot read/],
  ])(
    'a gateway with a configuration file refuses %s with the path of the setting, and changes nothing',
    async (_, more, field, description) => {
      const { url, write } = await start(text('demo: { kind: reference }'));
      write(text('demo: { kind: reference }, new: { kind: reference }', more));
      if (field === undefined)
        return expect((await askAdmin(url, 'ReloadConfig', {})).restart).toEqual(['cards.signing']);
      const { status, code, message, data } = await refusal(askAdmin(url, 'ReloadConfig', {}));
      expect([status, code]).toEqual([200, -32602]);
      expect(message).toContain('the previous one stays active');
      type Detail = { fieldViolations?: { field: string; description: string }[] };
      const violations = (data as Detail[]).find((detail) => detail.fieldViolations)?.fieldViolations;
      expect(violations).toEqual([{ field, description: expect.stringMatching(description) }]);
      expect((await askAdmin(url, 'ListAgents', {})).agents).toHaveLength(1);
    },
  );

  it('a gateway with a configuration file is reloaded by the command that serves it, as by SIGHUP', async () => {
    const { file, write } = folderOf();
    write(text('first: { kind: reference }'));
    const child = startCli(['serve', '--config', file, '--port', '0']);
    const [, url = '', key = ''] = /Console: (.*)\/console\/#key=(.*)/.exec(await printed(child, /Ctrl-C/)) ?? [];
    const operator = { 'x-api-key': key };
    write(text('second: { kind: reference }'));
    expect(await askAdmin(url, 'ReloadConfig', {}, operator)).toMatchObject({ added: ['second'], removed: ['first'] });
  });
});

it('a gateway without a configuration file in a program: says that the program reloads', async () => {
  const keys = adminKeysOf();
  const gateway = createGateway({ listen: { port: 0 }, store: 'memory:', logger: silent }, keys);
  afterTest(() => gateway.close({ drainMs: 0 }));
  const { url } = await gateway.listen();
  keys.listensAt(url);
  expect(await askAdmin(url, 'GetConfig', {})).toMatchObject({ file: '', reloadable: false });
  const { message } = await refusal(askAdmin(url, 'ReloadConfig', {}));
  expect(message).toContain('no configuration file');
});

it('a gateway without a configuration file of the command: the same', async () => {
  const child = startCli(['serve', '--port', '0', '--store', 'memory:']);
  const [, url = '', key = ''] = /Console: (.*)\/console\/#key=(.*)/.exec(await printed(child, /Ctrl-C/)) ?? [];
  const operator = { 'x-api-key': key };
  expect(await askAdmin(url, 'GetConfig', {}, operator)).toMatchObject({ reloadable: false });
  await expect(askAdmin(url, 'ReloadConfig', {}, operator)).rejects.toThrow('no configuration file');
});

it('the answer holds no credential of the file', async () => {
  const { key, hash } = newKey();
  const { url } = await openGateway(`
auth: { anonymous: false, apiKeys: [{ name: op, hash: "${hash}", scopes: ["admin:read"] }] }
agents:
  far: { kind: upstream, url: "http://localhost:9/?key=S3CR3T", auth: { type: bearer, token: S3CR3T } }
`).then((opened) => {
    return opened;
  });
  const asOperator = { 'x-api-key': key };
  const config = await askAdmin(url, 'GetConfig', {}, asOperator);
  expect(config.settings).toMatchObject({ agents: { far: { auth: { type: 'bearer', token: '***' } } } });
  expect(JSON.stringify(config)).not.toMatch(/S3CR3T/);
  expect(JSON.stringify(config)).not.toContain(hash.slice('sha256:'.length));
  await expect(askAdmin(url, 'ReloadConfig', {}, asOperator)).rejects.toThrow(/scope/);
});

import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { hashOf, shownHash } from '../../src/auth/hash.ts';
import { connect } from '../../src/client/index.ts';
import { blocksOf } from '../readme/blocks.ts';
import { newFolder } from '../support/folders.ts';
import { openGateway } from '../support/gateway.ts';
import { nginx, startNginx } from '../support/nginx.ts';
import { afterTest, freePort } from '../support/peer.ts';

/** The configurations of nginx and of the gateway behind it that the page about security shows. */

const blocks = blocksOf(readFileSync(new URL('../../docs/operate/security.md', import.meta.url), 'utf8'));
const location = blocks.find(({ language }) => language === 'nginx')?.text ?? '';
const settings = blocks.find(({ language, text }) => language === 'yaml' && text.includes('ALICE_HASH'))?.text ?? '';

it.skipIf(nginx === undefined)(
  'the page about security shows a location of nginx that admits callers with credentials alone, and passes on streams',
  async () => {
    const port = await freePort();
    const url = `http://127.0.0.1:${port}`;
    const env = { ALICE_HASH: shownHash(hashOf('key-of-alice')) };
    const text = settings.replace('https://agents.example.com', url);
    const { port: own } = await openGateway(`${text}store: "memory:"\nagents: { demo: { kind: reference } }\n`, {
      env,
    });
    expect(location).toContain('http://127.0.0.1:8080');
    const server = `server { listen 127.0.0.1:${port}; ${location.replace('127.0.0.1:8080', `127.0.0.1:${own}`)} }`;
    const running = await startNginx(newFolder(), server, port);
    afterTest(() => running.close());

    const stranger = await connect(url);
    afterTest(() => stranger.close());
    await expect(stranger.send('hi')).rejects.toMatchObject({ kind: 'unauthenticated' });
    const alice = await connect(url, { apiKey: 'key-of-alice' });
    afterTest(() => alice.close());
    const chunks: string[] = [];
    for await (const { artifactUpdate } of alice.sendStream('stream 3'))
      chunks.push(artifactUpdate?.artifact?.parts[0]?.text ?? '');
    expect(chunks).toContain('chunk 3');
  },
);

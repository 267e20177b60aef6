import { renameSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { newFolder } from '../../support/folders.ts';
import { openGateway } from '../../support/gateway.ts';

it.skipIf(process.platform === 'win32')(
  'a gateway whose file was moved away is not ready and refuses sends',
  async () => {
    const folder = newFolder();
    const path = join(folder, 'gateway.db');
    const gateway = await openGateway(`store: sqlite:${path}\nagents: { demo: { kind: reference } }`);
    const send = () =>
      fetch(`${gateway.url}/message:send`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'a2a-version': '1.0', 'idempotency-key': crypto.randomUUID() },
        body: JSON.stringify({ message: { messageId: 'm', role: 'ROLE_USER', parts: [{ text: 'hello' }] } }),
      });
    const statusOf = async (): Promise<number> => (await fetch(`${gateway.url}/readyz`)).status;
    expect([(await send()).status, await statusOf()]).toEqual([200, 200]);
    renameSync(path, `${path}.away`);
    expect(await statusOf()).toBe(503);
    const refused = await send();
    expect([refused.status, await refused.text()]).toEqual([503, expect.stringMatching(/removed or replaced/)]);
    await gateway.close();
  },
);

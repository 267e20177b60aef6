import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test, vi } from 'vitest';
import { versionProto, versions } from '../../codegen/versions.ts';
import { copyInputs } from '../support/changed-proto.ts';
import { newFolder } from '../support/folders.ts';
import { paced } from '../support/pace.ts';
import { afterTest } from '../support/peer.ts';

// A compiler runs here, on machines that may be busy.
vi.setConfig({ testTimeout: paced(120_000) });

const root = fileURLToPath(new URL('../..', import.meta.url));

/** Whether a process of the group that a child leads still runs. */
function hasProcesses({ pid = 0 }: ChildProcess): boolean {
  try {
    process.kill(-pid, 0);
    return true;
  } catch {
    return false;
  }
}

test('an update that SIGTERM ends while it compiles leaves no copy and no compiler behind', async () => {
  const inputs = copyInputs();
  inputs.editProto('message Task {\n', 'message Task {\n  string mood = 20;\n');
  const proto = join(inputs.protoDir, versions.at(-1)?.name ?? '', versionProto);
  const temporary = newFolder();
  const child = spawn(process.execPath, [join(root, 'codegen/spec-update.ts'), '--proto', proto, '--dry-run'], {
    detached: true,
    stdio: ['ignore', 'ignore', 'pipe'],
    env: { ...process.env, TMPDIR: temporary },
  });
  afterTest(() => hasProcesses(child) && process.kill(-(child.pid as number), 'SIGKILL'));
  let said = '';
  for await (const text of child.stderr) {
    said += text;
    if (said.includes('compiling the project …')) break;
  }
  expect(said).toContain('compiling the project …');
  expect(readdirSync(temporary)).toEqual([expect.stringMatching(/^a2a-spec-update-/)]);
  child.kill('SIGTERM');
  expect(await once(child, 'exit')).toEqual([143, null]);
  expect(readdirSync(temporary)).toEqual([]);
  await vi.waitFor(() => expect(hasProcesses(child)).toBe(false));
});

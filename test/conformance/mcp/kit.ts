import { execFile } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { resolveTool } from '../../../scripts/tools.ts';
import { newFolder } from '../../support/folders.ts';

/** The official conformance kit of MCP, `@modelcontextprotocol/conformance`: what it has, and one scenario at a time. */

const run = promisify(execFile);

/** Milliseconds for one scenario. */
const timeoutMs = 60_000;

export type Side = 'server' | 'client';

/** A scenario in one version of MCP. */
export interface Scenario {
  readonly side: Side;
  readonly name: string;
  readonly version: string;
}

/** A check of a scenario, as the kit reports it. */
export interface Check {
  readonly id: string;
  readonly status: 'SUCCESS' | 'FAILURE' | 'WARNING' | 'SKIPPED' | 'INFO';
  readonly errorMessage?: string;
}

/** The versions in which scenarios run. */
export const versions = ['2025-11-25', '2026-07-28'] as const;

/** Scenarios of extensions name no version: their extensions are of this one. */
const ofExtensions = '2026-07-28';

/** Its package exports nothing, so the program is found beside its license. */
const program = (): string =>
  join(dirname(resolveTool('tests', '@modelcontextprotocol/conformance/package.json')), 'dist/index.js');

/** Every scenario of both sides, once for each version that it applies to. */
export async function listScenarios(): Promise<Scenario[]> {
  const { stdout } = await run(process.execPath, [program(), 'list']);
  let side: Side | undefined;
  return stdout.split('\n').flatMap((line) => {
    const [, heading] = /^(\w+) .*scenarios \(/.exec(line) ?? [];
    if (heading) side = heading === 'Server' ? 'server' : heading === 'Client' ? 'client' : undefined;
    const [, name, applies = ''] = /^ {2}- (\S+) \[(.*)\]$/.exec(line) ?? [];
    const here = side;
    if (name === undefined || here === undefined) return [];
    if (applies === 'extension') return [{ side: here, name, version: ofExtensions }];
    return versions.filter((version) => applies.includes(version)).map((version) => ({ side: here, name, version }));
  });
}

const targetOf = (side: Side, target: string): string[] =>
  side === 'server' ? ['--url', target] : ['--command', target];

/**
 * Runs all scenarios of a side and a version in one process, which takes a tenth of the time: many of them start a program and
 * say little. Scenarios that have no result here, or failed, are run alone.
 *
 * @returns checks by the names of scenarios
 */
export async function runSuite(side: Side, version: string, target: string): Promise<Map<string, Check[]>> {
  const folder = newFolder();
  const args = [program(), side, ...targetOf(side, target), '--suite', 'all', '--spec-version', version, '-o', folder];
  const options = { timeout: 4 * timeoutMs, maxBuffer: 1 << 26 };
  const { stderr } = await run(process.execPath, args, options).catch((error) => error);
  const results = new Map<string, Check[]>();
  // With several clients, the kit does not say which one did not end well.
  if (/Client (?:exited with code \d+|timed out)/.test(stderr)) return results;
  for (const file of await readdir(folder, { recursive: true })) {
    const [, name] = /^(?:server-)?(.+)-\d{4}-\d\d-\d\dT[\d-]+Z\/checks\.json$/.exec(file.replaceAll('\\', '/')) ?? [];
    if (name !== undefined) results.set(name, JSON.parse(await readFile(join(folder, file), 'utf8')));
  }
  return results;
}

/**
 * Runs a scenario.
 *
 * @param target of a server its URL, of a client the command that the kit runs with the URL of its own server
 */
export async function runScenario({ side, name, version }: Scenario, target: string): Promise<Check[]> {
  const folder = newFolder();
  const args = [
    program(),
    side,
    ...targetOf(side, target),
    '--scenario',
    name,
    '--spec-version',
    version,
    '--force',
    '-o',
    folder,
  ];
  // A failed check is exit code 1.
  const { stdout, stderr } = await run(process.execPath, args, { timeout: timeoutMs }).catch((error) => error);
  const file = (await readdir(folder, { recursive: true })).find((path) => path.endsWith('checks.json'));
  if (file === undefined) return [{ id: 'ran', status: 'FAILURE', errorMessage: `${stdout}${stderr}`.trim() }];
  const checks: Check[] = JSON.parse(await readFile(join(folder, file), 'utf8'));
  const exit = /Client (?:exited with code \d+|timed out)[\s\S]*/.exec(stderr)?.[0];
  return exit === undefined ? checks : [...checks, { id: 'client-exit', status: 'FAILURE', errorMessage: exit }];
}

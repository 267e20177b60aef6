/**
 * `npm run conformance -- LIST`: runs suites by their names, one after the other, and says at the end which of them differ from
 * their lists of known failures. Without names it prints them with what they need. Options such as `--record` are passed on.
 */
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { suites } from './suites.ts';

const wanted = process.argv.slice(2).filter((arg) => !arg.startsWith('-'));
const options = process.argv.slice(2).filter((arg) => arg.startsWith('-'));
const names = wanted.includes('all') ? Object.keys(suites) : wanted.flatMap((arg) => arg.split(','));
const unknown = names.filter((name) => suites[name] === undefined);

/** The exit code of a suite that runs in a process of its own. */
function exitCodeOf(path: string): Promise<number> {
  const program = fileURLToPath(new URL(path, import.meta.url));
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [program, ...options], { stdio: 'inherit' });
    child.once('error', reject);
    child.once('close', (code) => resolve(code ?? 1));
  });
}

async function run(): Promise<number> {
  if (names.length === 0 || unknown.length > 0) {
    for (const name of unknown) console.error(`no such suite: ${name}`);
    for (const [name, { tries, needs }] of Object.entries(suites))
      console.log(`${name.padEnd(14)} ${tries} (${needs})`);
    return unknown.length > 0 ? 2 : 0;
  }
  const failed: string[] = [];
  for (const name of names) {
    console.log(`\n${name}`);
    if ((await exitCodeOf(suites[name]?.path ?? '')) !== 0) failed.push(name);
  }
  console.log(
    failed.length === 0 ? '\nall as listed' : `\ndiffer from their lists, or did not run: ${failed.join(', ')}`,
  );
  return failed.length === 0 ? 0 : 1;
}

process.exitCode = await run();

import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';

/** Errors of `a2a-gateway config check` about a configuration; empty if it is accepted. */
export function checkConfig(text) {
  writeFileSync('checked.yaml', `store: 'memory:'\nagents: { demo: { kind: reference } }\n${text}`);
  const args = ['node_modules/a2a-gateway/bin/a2a-gateway.js', 'config', 'check', 'checked.yaml'];
  return new Promise((resolve) =>
    execFile(process.execPath, args, (error, _, stderr) => resolve(error === null ? '' : stderr)),
  );
}

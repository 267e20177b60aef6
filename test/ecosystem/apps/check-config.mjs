import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';

/** What `a2a-gateway config check` says against a configuration; empty where it accepts it. */
export function checkConfig(text) {
  writeFileSync('checked.yaml', `store: 'memory:'\nagents: { demo: { kind: reference } }\n${text}`);
  const args = ['node_modules/a2a-gateway/bin/a2a-gateway.js', 'config', 'check', 'checked.yaml'];
  return new Promise((resolve) =>
    execFile(process.execPath, args, (error, _, stderr) => resolve(error === null ? '' : stderr)),
  );
}

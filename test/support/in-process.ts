import { tableLines } from '../../src/cli/output.ts';
import { run } from '../../src/cli/run.ts';

/** Result of a command. */
export interface Outcome {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs the command in this process, which is quicker; for what neither serves nor reads stdin. */
export async function inProcess(args: readonly string[]): Promise<Outcome> {
  let stdout = '';
  let stderr = '';
  const code = await run(args, {
    print(text) {
      stdout += text;
    },
    json(value) {
      this.print(`${JSON.stringify(value, undefined, 2)}\n`);
    },
    table(_, rows) {
      for (const line of tableLines(rows)) stdout += `${line}\n`;
    },
    note(line) {
      stderr += `${line}\n`;
    },
    progress() {},
    clearProgress() {},
  });
  return { code, stdout, stderr };
}

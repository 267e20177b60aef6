import { readdirSync, readFileSync } from 'node:fs';

/** Ticks of the kernel's clock in a second, which Linux has fixed for programs. */
const ticks = 100;

/** Milliseconds of CPU that a process and its children have used, ended children included. Linux only. */
export function cpuOfProcess(root: number): number {
  let total = 0;
  for (const name of readdirSync('/proc')) {
    const fields = /^\d+$/.test(name) ? statOf(name) : undefined;
    if (!fields) continue;
    const [parent, user = 0, system = 0, childUser = 0, childSystem = 0] = [1, 11, 12, 13, 14].map((i) =>
      Number(fields[i]),
    );
    if (Number(name) === root) total += user + system + childUser + childSystem;
    else if (parent === root) total += user + system;
  }
  return (total / ticks) * 1_000;
}

/** The fields of proc(5) from the state on; undefined when the process is gone. */
function statOf(pid: string): string[] | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return text.slice(text.lastIndexOf(')') + 2).split(' ');
  } catch {
    return undefined;
  }
}

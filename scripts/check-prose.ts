/** Checks the English of documentation, comments and messages against the patterns of `prose.ts`. Exits with 1 on an error. */
import { readFaults } from './prose.ts';

const { faults, texts } = readFaults(new URL('../', import.meta.url));
for (const fault of faults) console.log(fault);
console.log(`${texts} texts, ${faults.length} errors`);
process.exitCode = faults.length > 0 ? 1 : 0;

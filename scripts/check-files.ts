/** Checks that no committed file contains paths of a single machine or a package registry. Exits with 1 on an error. */
import { trackedErrors } from './tracked-files.ts';

const { errors, files } = trackedErrors(new URL('../', import.meta.url));
for (const error of errors) console.log(error);
console.log(`${files} files, ${errors.length} errors`);
process.exitCode = errors.length > 0 ? 1 : 0;

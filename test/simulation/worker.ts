/** A process that runs simulations for another one, one after the other. */
import { enableCompileCache } from 'node:module';
import { type Job, openRunner, type RunOptions } from './runner.ts';

enableCompileCache();

const run = await openRunner();
process.on('message', async ({ job, options }: { readonly job: Job; readonly options: RunOptions }) => {
  process.send?.(await run(job, options));
});
process.send?.('ready');

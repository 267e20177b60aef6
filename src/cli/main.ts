import { run } from './run.ts';

process.exitCode = await run(process.argv.slice(2));
// Whatever is left open by then must not keep a command that has ended from ending.
setTimeout(() => process.exit(), 1000).unref();

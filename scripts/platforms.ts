import { testFiles } from './test-files.ts';

/**
 * Files that use features which Windows lacks. Tests that import them, directly or indirectly, are skipped on Windows.
 */
export const posixOnly: Readonly<Record<string, string>> = {
  'test/cli/dev.test.ts': 'sends SIGHUP',
  'test/cli/serving.test.ts': 'stops gateways in order, by SIGTERM and SIGINT',
  'test/cli/watch-config.test.ts': 'replaces folders by symbolic links, and stops a gateway in order, by SIGTERM',
  'test/codegen/interrupted.slow.test.ts': 'stops a command by SIGTERM, SIGINT and SIGHUP',
  'test/extensions/console/call-frames.test.ts': 'runs copied commands with bash',
  'test/extensions/console/snippets.test.ts': 'runs copied commands with sh',
  'test/gateway/one-file.test.ts': 'starts gateways with sh, and stops them in order, by SIGTERM',
  'test/extensions/mcp/hostile.test.ts': 'looks at processes with ps',
  'test/package/package.test.ts':
    'starts npx, which is a batch file on Windows, ends groups of processes, and stops one by SIGTERM',
  'test/readme/clone.slow.test.ts': 'runs the commands of the README with sh',
  'test/readme/workspace.ts': 'runs the commands of pages with bash',
  'test/gateway/reload/signals.test.ts': 'reloads by SIGHUP',
  'test/support/postgres.ts': 'stops and pauses PostgreSQL by signals, and finds its processes with ps',
};

/** A file of tests that cannot run on a platform. */
export interface LeftOut {
  readonly path: string;
  readonly reason: string;
}

/** Returns the test files that are skipped on a platform, each with the first reason. Only Windows skips tests. */
export function leftOutOn(platform: NodeJS.Platform, root: string): LeftOut[] {
  if (platform !== 'win32') return [];
  return testFiles(root).flatMap(({ path, reaches }) => {
    const reason = [...reaches].map((each) => posixOnly[each]).find((each) => each !== undefined);
    return reason === undefined ? [] : [{ path, reason }];
  });
}

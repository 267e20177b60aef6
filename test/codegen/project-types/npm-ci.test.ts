import { expect, test } from 'vitest';
import { lastWords } from '../../../codegen/project-types/npm-ci.ts';

test.each([
  [
    'a registry that refuses connections',
    `npm error code ECONNREFUSED
npm error syscall connect
npm error errno ECONNREFUSED
npm error FetchError: request to http://127.0.0.1:9/zod failed, reason: connect ECONNREFUSED 127.0.0.1:9
npm error     at ClientRequest.<anonymous> (/usr/lib/node_modules/npm/node_modules/minipass-fetch/lib/index.js:130:14)
npm error     at process.processTicksAndRejections (node:internal/process/task_queues:83:21) {
npm error   code: 'ECONNREFUSED',
npm error   errno: 'ECONNREFUSED',
npm error   address: '127.0.0.1',
npm error   port: 9,
npm error   type: 'system'
npm error }
npm error
npm error If you are behind a proxy, please make sure that the 'proxy' config is set properly.  See: 'npm help config'
npm error A complete log of this run can be found in: /home/me/.npm/_logs/2026-11-28T23_55_09_617Z-debug-0.log
`,
    [
      'FetchError: request to http://127.0.0.1:9/zod failed, reason: connect ECONNREFUSED 127.0.0.1:9',
      "If you are behind a proxy, please make sure that the 'proxy' config is set properly.  See: 'npm help config'",
    ],
  ],
  [
    'an unknown registry',
    `npm error code ENOTFOUND
npm error syscall getaddrinfo
npm error network request to http://registry.invalid/zod failed, reason: getaddrinfo ENOTFOUND registry.invalid
npm error network
npm error network If you are behind a proxy, set it.
`,
    [
      'network request to http://registry.invalid/zod failed, reason: getaddrinfo ENOTFOUND registry.invalid',
      'network If you are behind a proxy, set it.',
    ],
  ],
  [
    'a missing token',
    'npm error code E401\nnpm error 401 Unauthorized - GET http://registry.invalid/zod\n',
    ['401 Unauthorized - GET http://registry.invalid/zod'],
  ],
  [
    'a crash',
    `node:internal/modules/cjs/loader:1
Error: Cannot find module 'x'
    at Module._load (node:internal/modules/cjs/loader:1:1) {
  code: 'MODULE_NOT_FOUND',
  [cause]: undefined
}
`,
    ['node:internal/modules/cjs/loader:1', "Error: Cannot find module 'x'"],
  ],
  ['a code alone', 'npm ERR! code EUSAGE\n', ['code EUSAGE']],
  ['nothing', '', ['']],
])('a message of npm about %s is reported without its JavaScript, the cause first', (_, errors, lines) => {
  expect(lastWords(errors).split('\n')).toEqual(lines);
});

import fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import { localName } from '../../codegen/model.ts';
import { versions } from '../../codegen/versions.ts';
import { api as v1 } from '../../src/core/model/a2a.ts';
import { api as v03 } from '../../src/gen/a2a-v0_3/index.ts';
import { api as admin } from '../../src/gen/admin-v1/index.ts';
import type { Api } from '../../src/gen/api.ts';
import { api as knowledge } from '../../src/gen/knowledge-v1/index.ts';
import { decode, encode } from '../../src/wire/protobuf.ts';
import { parseAs } from '../../src/wire/validate.ts';
import { canonicalJson } from '../support/arbitrary-json.ts';
import { paced } from '../support/pace.ts';
import { generateTsProto, type TsProtoTypes } from '../support/ts-proto.ts';

/** The codecs that ts-proto generates, which the official SDKs and programs of users have, against the project's own. */

const newest = versions[0].name;

const files: readonly [api: Api, file: string][] = [
  [v1, `${newest}/lf/a2a/v1/a2a.ts`],
  [v03, 'a2a/v1/a2a.ts'],
  [admin, 'a2agateway/admin/v1/admin.ts'],
  [knowledge, 'a2agateway/knowledge/v1/knowledge.ts'],
];

const types = new Map<string, TsProtoTypes>();

beforeAll(async () => {
  const generated = await generateTsProto(newest);
  for (const [{ package: name }, file] of files) types.set(name, await generated(file));
}, paced(600_000));

describe.each(files.map(([api]) => api))('$package against ts-proto', (api) => {
  const names = Object.keys(api.fields.messages).filter((name) => name.startsWith(api.package));

  test.each(names)(
    `a message %s of ${api.package} is the same to this codec and to ts-proto, as bytes and as JSON`,
    (name) => {
      const theirs = types.get(api.package)?.[localName(name, api.package)] ?? expect.fail(`ts-proto lacks ${name}`);
      fc.assert(
        fc.property(canonicalJson(api, name).map(sayable), (json) => {
          const written = theirs.encode(theirs.fromJSON(json)).finish();
          expect(parseAs(api, name, decode(api, name, written))).toEqual(json);
          const read = theirs.toJSON(theirs.decode(encode(api, name, json)));
          expect(parseAs(api, name, read)).toEqual(json);
        }),
        { numRuns: 60 },
      );
    },
  );
});

const time = /^(\d{4})(-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z)$/;

/** Years whose addition keeps leap years. */
const later = 2_000;

/** Without what ts-proto loses: nulls that are the whole value of a field, and times before 1970. */
function sayable(value: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, withoutLosses(member, key)]));
}

function withoutLosses(value: unknown, key?: string): unknown {
  if (value === null && key !== undefined) return 0;
  if (typeof value === 'string') {
    return value.replace(time, (all, year: string, rest: string) =>
      Number(year) < 1970 ? `${Number(year) + later}${rest}` : all,
    );
  }
  if (Array.isArray(value)) return value.map((item) => withoutLosses(item));
  if (typeof value !== 'object' || value === null) return value;
  return sayable(value as Record<string, unknown>);
}

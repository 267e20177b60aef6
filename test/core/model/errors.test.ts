import { describe, expect, it } from 'vitest';
import { A2AError, type ErrorKind, errorTable } from '../../../src/core/model/errors.ts';

describe.each(Object.keys(errorTable) as ErrorKind[])('an error of the kind %s', (kind) => {
  it.each([undefined, '', ' \n'])(
    `an error of the kind ${kind} has the text of its kind where it has none of its own: %j`,
    (text) => {
      expect(new A2AError(kind, text).message).toBe(errorTable[kind].message);
    },
  );
});

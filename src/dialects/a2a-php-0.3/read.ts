import type { Struct } from '../../core/model/a2a.ts';
import { A2AError } from '../../core/model/errors.ts';
import { isObject } from '../../core/model/json.ts';
import * as guards from '../../gen/a2a-php-0.3/guards.ts';
import { shapes } from '../../gen/a2a-php-0.3/shapes.ts';
import { type Reader, readerOf, type ShapeOf } from '../kernel/reader.ts';

export type Shape = ShapeOf<typeof guards>;

/** Reads shapes of the PHP SDK. */
export const read: Reader<typeof guards> = readerOf(guards, shapes);

/**
 * An object that PHP may have written as an empty list; undefined when it is that, or there is none.
 *
 * @param field path of the value, for the error
 * @throws A2AError `invalidParams` when it is a list with items
 */
export function objectOf(value: Struct | readonly unknown[] | null | undefined, field: string): Struct | undefined {
  if (isObject(value)) return value as Struct;
  if (!value || (value as readonly unknown[]).length === 0) return undefined;
  throw A2AError.invalidParams(undefined, [{ field, description: 'must be an object' }]);
}

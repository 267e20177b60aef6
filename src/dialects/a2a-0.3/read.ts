import * as guards from '../../gen/a2a-0.3/guards.ts';
import { shapes } from '../../gen/a2a-0.3/shapes.ts';
import { type Reader, readerOf, type ShapeOf } from '../kernel/reader.ts';

export type Shape = ShapeOf<typeof guards>;

/** Reads shapes of A2A 0.3 over JSON-RPC. */
export const read: Reader<typeof guards> = readerOf(guards, shapes);

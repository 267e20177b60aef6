import * as guards from '../../gen/a2a-0.1/guards.ts';
import { shapes } from '../../gen/a2a-0.1/shapes.ts';
import { compile } from '../../gen/dialects/a2a-0.1.ts';
import { type Reader, readerOf } from '../kernel/reader.ts';
import { bind, type Codecs } from '../kernel/record.ts';
import { tables } from './mapping.ts';

/** Codecs of the shapes of A2A 0.1. */
export const codecs: Codecs<typeof tables> = bind(tables, compile);

export const read: Reader<typeof guards> = readerOf(guards, shapes);

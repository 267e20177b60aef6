import * as guards from '../../gen/agentvault-0.2/guards.ts';
import { shapes } from '../../gen/agentvault-0.2/shapes.ts';
import { compile } from '../../gen/dialects/agentvault-0.2.ts';
import { type Reader, readerOf } from '../kernel/reader.ts';
import { bind, type Codecs } from '../kernel/record.ts';
import { tables } from './mapping.ts';

/** Codecs of the shapes of AgentVault. */
export const codecs: Codecs<typeof tables> = bind(tables, compile);

export const read: Reader<typeof guards> = readerOf(guards, shapes);

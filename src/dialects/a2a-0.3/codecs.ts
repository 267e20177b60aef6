import { compile } from '../../gen/dialects/a2a-0.3.ts';
import { bind, type Codecs } from '../kernel/record.ts';
import { tables } from './mapping.ts';

/** Codecs of the shapes of A2A 0.3 over JSON-RPC. */
export const codecs: Codecs<typeof tables> = bind(tables, compile);

import { validators } from '../../gen/agentvault-0.2/validators.ts';
import { compile } from '../../gen/dialects/agentvault-0.2.ts';
import { parseWith } from '../../wire/validate.ts';
import { bind, type Codecs } from '../kernel/record.ts';
import { tables } from './mapping.ts';

/** What converts the shapes of AgentVault. */
export const codecs: Codecs<typeof tables> = bind(tables, compile);

/** Takes what arrived as a shape of AgentVault, without members that the shape does not know. */
export const read = <T>(name: keyof typeof validators, value: unknown): T => parseWith<T>(validators[name], value);

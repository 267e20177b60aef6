import type { AgentContext, AgentLog } from '../model/agent.ts';
import type { Logger } from '../ports/logger.ts';
import { traceFields } from './call-fields.ts';

type LogLevel = keyof AgentLog;

/** The call that began the run. */
type Origin = Pick<AgentContext, 'requestId' | 'principal' | 'traceparent'>;

/** Writes an agent's lines with the fields that the gateway's own lines about its run have. */
export class RunLog implements AgentLog {
  readonly #logger: Logger;
  readonly #origin: Origin;
  readonly #task: string;

  constructor(logger: Logger, origin: Origin, task: string) {
    this.#logger = logger;
    this.#origin = origin;
    this.#task = task;
  }

  debug(message: string, fields?: object): void {
    this.#write('debug', message, fields);
  }

  info(message: string, fields?: object): void {
    this.#write('info', message, fields);
  }

  warn(message: string, fields?: object): void {
    this.#write('warn', message, fields);
  }

  error(message: string, fields?: object): void {
    this.#write('error', message, fields);
  }

  #write(level: LogLevel, message: string, fields?: object): void {
    const { requestId: request, principal } = this.#origin;
    const own = { task: this.#task, request, principal: principal.id, ...traceFields(this.#origin) };
    this.#logger[level]({ ...fields, ...own }, message);
  }
}

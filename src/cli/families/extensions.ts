import type { Command } from 'commander';
import type { AddCommands, CommandLine } from '../../extensions/command.ts';
import { addKnowledge } from '../../extensions/knowledge/commands/index.ts';
import type { Output } from '../output.ts';
import { example, fraction, integer, lazy, withTarget } from './options.ts';

const ofExtension =
  (add: AddCommands) =>
  (program: Command, output: Output): void =>
    add(program, commandLine(output));

/** Commands of extensions: one row each. */
export const addGraphs = ofExtension(addKnowledge);

const commandLine = (output: Output): CommandLine => ({
  withTarget,
  example,
  fraction,
  integer,
  action:
    (load, name) =>
    async (...args) => {
      const { createTools } = await import('../tools.ts');
      await lazy(load, name, createTools(output))(...args);
    },
});

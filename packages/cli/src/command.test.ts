import { describe, expect, it } from '@jest/globals';
import { parseCommand } from './command.ts';

describe('parseCommand', () => {
  it.each([
    [['start'], { kind: 'start', json: false }],
    [['start', '--json'], { kind: 'start', json: true }],
    [['dev'], { kind: 'dev', json: false }],
    [['demo'], { kind: 'demo' }],
    [['start', '--help'], { kind: 'help' }],
    [['--help'], { kind: 'help' }],
  ])('reads %j', (args, command) => {
    expect(parseCommand(args)).toEqual(command);
  });

  it.each([
    [['start', '--jsno'], '--jsno'],
    [['start', 'now'], 'now'],
    [['strat'], 'strat'],
    [['demo', '--json'], '--json'],
    [[], 'command'],
  ])('refuses %j and names what it does not know', (args, name) => {
    expect(parseCommand(args)).toEqual({ kind: 'refused', problem: expect.stringContaining(name) });
  });
});

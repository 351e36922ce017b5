// npm run drill -- [names of drills] [--kills n] [--minutes n] [--seed text] [--rounds n] [options of Jest]
import { spawnSync } from 'node:child_process';

const own = ['--kills', '--minutes', '--seed', '--rounds'];
const forJest = [];
for (const args = process.argv.slice(2); args.length > 0;) {
  const [name, value] = args.splice(0, own.includes(args[0]) ? 2 : 1);
  // oxlint-disable-next-line node/no-process-env -- it is the main program, and hands its environment on
  if (own.includes(name)) process.env[`DRILL_${name.slice(2).toUpperCase()}`] = value;
  else forJest.push(name);
}
const jest = ['-C', 'source', '--max-old-space-size=8192', 'node_modules/jest/bin/jest.js'];
const config = ['--config', 'jest.drill.config.js'];
const { status } = spawnSync(process.execPath, [...jest, ...config, ...forJest], { stdio: 'inherit' });
process.exitCode = status ?? 1;

import { expect, it } from '@jest/globals';
import { say } from './say.ts';
import { drillFrom, drillRounds } from './settings.ts';
import { useDrill } from './use-drill.ts';
import { buildRelease, lastRelease } from './older-version.ts';
import { rollingUpgrade } from './rolling-upgrade.ts';

const drill = useDrill();

it('the last release and this version run side by side on the tables of this one, and nothing is lost', async () => {
  const release = drillFrom ?? (await lastRelease());
  say(
    release === undefined
      ? 'no release was tried: HEAD comes after none, so this version runs beside itself'
      : `${release} runs beside this version`,
  );
  const older = release === undefined ? undefined : await buildRelease(release);
  try {
    const { problems, events } = await drill(rollingUpgrade(older?.root, drillRounds));
    expect(events).toBeGreaterThan(50);
    expect(problems.slice(0, 40)).toEqual([]);
  } finally {
    await older?.remove();
  }
});

import { writeCurlFiles } from './output/curl-files.ts';
import { startJson } from './output/start-json.ts';
import { startText } from './output/start-text.ts';
import type { Output } from './output/output.ts';
import { openDataDirectory } from './data-directory/data-directory.ts';
import { readLocalConfig, type Environment } from './local-config.ts';
import type { StopList } from './process/stop-list.ts';
import { whenStopped } from './process/stop-request.ts';
import { preferredPorts, rememberPorts } from './services/ports.ts';
import { startServices } from './services/start-services.ts';

export interface StartDeps {
  readonly env: Environment;
  readonly out: Output;
  /** Aborted when everything is to stop. */
  readonly stop: AbortSignal;
  /** Is given what stops what was started. */
  readonly stops: StopList;
  /** Where to remember things. */
  readonly dataDirectory: string;
}

/**
 * `npm start`: starts everything, says how to use it, and goes on until it is stopped.
 * @throws the reason of `stop`, or what went wrong.
 */
export async function start(
  { env, out, stop, stops, dataDirectory }: StartDeps,
  { json }: { json: boolean },
): Promise<never> {
  const config = readLocalConfig(env);
  const directory = await openDataDirectory(dataDirectory);
  stops.add('the data directory', directory.release);
  const ports = await preferredPorts(directory);
  const tell = json ? () => undefined : out.tell;
  const services = await startServices({ env, config, directory, ports, stop, stops, tell });
  await rememberPorts(directory, services.ports);
  const curlFiles = await writeCurlFiles(directory, services.demo.credentials);
  await directory.announce(services.api);
  out.print(json ? startJson(services) : startText(services, { out, directory, curlFiles, config }));
  return Promise.race([whenStopped(stop), services.failed]);
}

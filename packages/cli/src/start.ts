import { writeCurlFiles } from './tenant/curl-files.ts';
import { startJson, startText } from './services/start-text.ts';
import type { Output } from './output.ts';
import { openDataDirectory } from './data-directory.ts';
import { readLocalConfig, type Environment } from './local-config.ts';
import type { StopList } from './run-then-stop.ts';
import { whenStopped } from './stop-request.ts';
import { preferredPorts, savePorts } from './services/ports.ts';
import { startCompilers } from './services/compilers.ts';
import { buildDocumentation } from './services/documentation.ts';
import { startServices } from './services/start-services.ts';

export interface StartDeps {
  readonly env: Environment;
  readonly out: Output;
  /** Aborted when everything is to stop. */
  readonly stop: AbortSignal;
  /** Collects the steps that stop everything that was started. */
  readonly stops: StopList;
  /** Where to remember things. */
  readonly dataDirectory: string;
}

/**
 * `npm start`: starts everything, shows how to use the installation, and goes on until stopped.
 * @param isDevelopment sources are compiled when they change, and API and worker start again (`npm run dev`).
 * @throws the reason of `stop`, or the error.
 */
export async function start(
  { env, out, stop, stops, dataDirectory }: StartDeps,
  { json, isDevelopment }: { json: boolean; isDevelopment: boolean },
): Promise<never> {
  const config = readLocalConfig(env);
  const directory = await openDataDirectory(dataDirectory);
  stops.add('the data directory', directory.release);
  const ports = await preferredPorts(directory);
  const report = json ? () => undefined : out.report;
  const services = await startServices({ env, config, directory, ports, stop, stops, report, isDevelopment });
  await savePorts(directory, services.ports);
  const curlFiles = await writeCurlFiles(directory, services.demo.credentials);
  await directory.announce(services.api);
  out.print(json ? startJson(services) : startText(services, { out, directory, curlFiles, config }));
  if (isDevelopment) out.print(await startCompilers({ env, directory, api: services.api, stops }));
  // For people: programs that start everything do not read documentation.
  if (!json) stops.add('the documentation', await buildDocumentation(directory.file('docs.log')));
  return Promise.race([whenStopped(stop), services.failed]);
}

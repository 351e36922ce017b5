import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { describe, expect, it } from '@jest/globals';
import { apiConfig } from '@callout/runtime/config/api';
import { workerConfig } from '@callout/runtime/config/worker';
import {
  chart,
  checkManifests,
  deployDirectory,
  hasHelm,
  helm,
  type KubernetesObject,
  podsOf,
  readManifests,
  templateArgs,
} from './manifests.fixture.ts';

const plainFile = path.join(deployDirectory, 'kubernetes/callout.yaml');
const plain = readFileSync(plainFile, 'utf8');
const examples = readdirSync(path.join(chart, 'examples')).map((name) => path.join(chart, 'examples', name));

/** Each way in which the chart is shown to be used. */
const rendered: [string, string][] = [
  ['deploy/kubernetes/callout.yaml', plain],
  ...(hasHelm
    ? examples.map((file): [string, string] => [path.basename(file), helm(...templateArgs, '--values', file).stdout])
    : []),
];

const ofKind = (objects: readonly KubernetesObject[], kind: string) => objects.filter((one) => one.kind === kind);

it('the check of manifests finds what is wrong', () => {
  expect(() => checkManifests(plain.replace('replicas: 2', 'replicas: two'))).toThrow(/replicas must be integer/u);
});

describe.each(rendered)('%s', (_name, text) => {
  const objects = readManifests(text);

  it('is valid for Kubernetes', () => {
    expect(() => checkManifests(text)).not.toThrow();
  });

  it('runs everything without rights: not as root, with no capability, nothing to write to, no token', () => {
    const pods = podsOf(objects);
    expect(pods.length).toBeGreaterThanOrEqual(4);
    for (const { spec } of pods) {
      expect(spec.automountServiceAccountToken).toBe(false);
      expect(spec.securityContext).toMatchObject({ runAsNonRoot: true, runAsUser: 1000 });
      for (const { securityContext } of spec.containers) {
        expect(securityContext).toEqual({
          allowPrivilegeEscalation: false,
          readOnlyRootFilesystem: true,
          capabilities: { drop: ['ALL'] },
        });
      }
    }
  });

  it('keeps the log of a migration that failed', () => {
    const jobs = ofKind(objects, 'Job');
    // With OnFailure, its pod is deleted after the last failure.
    expect(jobs.map(({ spec }) => spec.template?.spec)).toEqual([expect.objectContaining({ restartPolicy: 'Never' })]);
  });

  it('names only settings there are, and gives each role of workers a process', () => {
    const known = new Set(Object.keys({ ...apiConfig.shape, ...workerConfig.shape }));
    const given = podsOf(objects).flatMap(({ spec }) => spec.containers.flatMap(({ env = [] }) => env));
    expect(given.filter(({ name }) => !known.has(name))).toEqual([]);
    const roles = given.filter(({ name }) => name === 'WORKER_ROLES').flatMap(({ value }) => value.split(','));
    expect([...roles].sort()).toEqual(['deliver', 'match', 'notify', 'sweep']);
  });

  it('probes the processes at their ports, and finds the pods that it made', () => {
    const deployments = ofKind(objects, 'Deployment');
    for (const { spec } of deployments) {
      expect(spec.template?.metadata.labels).toMatchObject(spec.selector?.matchLabels ?? {});
      for (const container of spec.template?.spec.containers ?? []) {
        const [port] = container.ports ?? [];
        expect(port?.containerPort).toBe(container.name === 'api' ? 8080 : 8081);
        expect(container['livenessProbe']).toMatchObject({ httpGet: { path: '/healthz', port: port?.name } });
        expect(container['readinessProbe']).toMatchObject({ httpGet: { path: '/readyz', port: port?.name } });
      }
    }
    const labels = podsOf(objects).map(({ metadata }) => metadata.labels);
    const selectors = objects.flatMap(({ kind, spec }) => {
      if (kind === 'Service') return [spec.selector as Record<string, string>];
      if (kind === 'PodDisruptionBudget') return [spec.selector?.matchLabels ?? {}];
      return kind === 'NetworkPolicy' ? [spec.podSelector?.matchLabels ?? {}] : [];
    });
    expect(selectors.length).toBeGreaterThan(6);
    for (const selector of selectors) expect(labels).toContainEqual(expect.objectContaining(selector));
  });

  it('keeps workers off private addresses and the metadata of a cloud, and the API off all but its servers', () => {
    const policies = ofKind(objects, 'NetworkPolicy');
    const blocks = policies.map(({ metadata, spec }) => {
      const text = JSON.stringify(spec.egress);
      return { name: metadata.name, isOpen: text.includes('0.0.0.0/0'), refused: text };
    });
    const workers = blocks.filter(({ name }) => name.includes('-worker-'));
    expect(workers.length).toBe(ofKind(objects, 'Deployment').length - 1);
    for (const { refused } of workers) {
      for (const range of ['10.0.0.0/8', '169.254.0.0/16', '172.16.0.0/12', '192.168.0.0/16', '100.64.0.0/10']) {
        expect(refused).toContain(range);
      }
    }
    expect(blocks.filter(({ name, isOpen }) => isOpen && !name.includes('-worker-'))).toEqual([]);
  });
});

if (!hasHelm) process.stderr.write('Helm is not installed: of deploy/, only the manifests are tested.\n');

if (hasHelm) {
  describe('the chart', () => {
    it('has nothing that helm lint finds', () => {
      const { status, stdout } = helm('lint', '--strict', chart);
      expect([status, stdout]).toEqual([0, expect.stringContaining('0 chart(s) failed')]);
    });

    it('makes the manifests that are kept in deploy/kubernetes', () => {
      const { stdout } = helm(...templateArgs);
      const command = 'helm template callout deploy/helm/callout --namespace callout --kube-version 1.31.0';
      expect({ command: `${command} > deploy/kubernetes/callout.yaml`, text: plain }).toMatchObject({ text: stdout });
    });

    it('names the scraped jobs as the alerts do', () => {
      const { stdout } = helm(...templateArgs, '--set', 'podMonitor.enabled=true,operator.enabled=true');
      const jobs = ofKind(readManifests(stdout), 'PodMonitor').map(({ spec }) => JSON.stringify(spec));
      expect(jobs).toHaveLength(2);
      for (const job of ['callout-api', 'callout-worker']) {
        const relabeling = JSON.stringify({ targetLabel: 'job', replacement: job });
        expect(jobs.filter((spec) => spec.includes(relabeling))).toHaveLength(1);
      }
    });

    it.each([
      ['a value that there is none of', ['--set', 'existingSecrt=callout'], "'existingSecrt' not allowed"],
      ['a role that no worker has', ['--set', 'workers.background=null'], 'none has the role notify'],
      ['a role that there is none of', ['--set', 'workers.deliver.roles={send}'], 'workers/deliver/roles'],
      ['a setting in small letters', ['--set', 'settings.public_url=x'], "invalid propertyName 'public_url'"],
      [
        'scaling by a backlog that a role does not have',
        ['--set', 'workers.background.autoscaling.kind=keda'],
        'only the roles match and deliver',
      ],
    ])('refuses %s, and says why', (_what, args, reason) => {
      const { status, stderr } = helm(...templateArgs, ...args);
      expect([status, stderr]).toEqual([1, expect.stringContaining(reason)]);
    });
  });
}

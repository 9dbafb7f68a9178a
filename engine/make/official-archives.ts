/** SHA-256 by the machine's platform and architecture, as Temporal names them. */
export type Digests = Readonly<Record<string, string>>;

/**
 * The SHA-256 of each official archive of the Temporal CLI 1.5.1 that other package managers check it by. A new version has others; a
 * machine that is not here builds instead, or is given the digest by a setting.
 */
export const CLI_DIGESTS: Digests = {
  'linux amd64': 'ddc95e08b0b076efd4ea9733a3f488eb7d2be875f8834e616cd2a37358b4852d',
  'linux arm64': 'bd1b0db9f18b051026de8bf6cc1505f2510f14bbb7a8b9a4a91fff46c77454f5',
  'darwin amd64': 'bbb73e2a31135abe50a1f1cdb35030c42961df618e8ce9c60ae89f201540c5d9',
  'darwin arm64': 'cca01b7ea35ad56e2a328d9ae596bf716bd22313ef63c7a761c88354457c2415',
};

/** The same of the time-skipping test server 1.38.0. */
export const TEST_SERVER_DIGESTS: Digests = {
  'linux amd64': '41df834fe8e1ac59619e13908f41b63e4d1054f37634a2f89033d8cf6af71b96',
};

const PLATFORMS: Readonly<Partial<Record<NodeJS.Platform, string>>> = {
  linux: 'linux',
  darwin: 'darwin',
  win32: 'windows',
};
const ARCHITECTURES: Readonly<Partial<Record<NodeJS.Architecture, string>>> = {
  x64: 'amd64',
  arm64: 'arm64',
};

/** This machine, as Temporal names it; `undefined` where there is no official build for it. */
export function officialPlatform(): { readonly platform: string; readonly arch: string } | undefined {
  const platform = PLATFORMS[process.platform];
  const arch = ARCHITECTURES[process.arch];
  return platform === undefined || arch === undefined ? undefined : { platform, arch };
}

/** The digest of this machine's archive; `undefined` if none is known. */
export function digestFor(digests: Digests): string | undefined {
  const machine = officialPlatform();
  return machine && digests[`${machine.platform} ${machine.arch}`];
}

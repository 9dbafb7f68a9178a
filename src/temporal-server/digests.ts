import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';

/** SHA-256 digests by name. For official archives, the name is the platform and the architecture, as Temporal names them. */
export type Digests = Readonly<Record<string, string>>;

/**
 * The SHA-256 of official archives of the Temporal CLI 1.5.1, as package managers verify them. A new version needs new digests. On a
 * machine without an entry here, paysession downloads the CLI only if a setting has the digest. Otherwise, it builds the CLI.
 */
export const CLI_DIGESTS: Digests = {
  'linux amd64': 'ddc95e08b0b076efd4ea9733a3f488eb7d2be875f8834e616cd2a37358b4852d',
  'linux arm64': 'bd1b0db9f18b051026de8bf6cc1505f2510f14bbb7a8b9a4a91fff46c77454f5',
  'darwin amd64': 'bbb73e2a31135abe50a1f1cdb35030c42961df618e8ce9c60ae89f201540c5d9',
  'darwin arm64': 'cca01b7ea35ad56e2a328d9ae596bf716bd22313ef63c7a761c88354457c2415',
};

/** The SHA-256 of official archives of the time-skipping test server 1.38.0. */
export const TEST_SERVER_DIGESTS: Digests = {
  'linux amd64': '41df834fe8e1ac59619e13908f41b63e4d1054f37634a2f89033d8cf6af71b96',
};

/** The SHA-256 of each Java library that the test server needs, by file name, as Maven Central has them. */
export const TEST_SERVER_LIBRARIES: Digests = {
  'HdrHistogram-2.1.12.jar': '9b47fbae444feaac4b7e04f0ea294569e4bc282bc69d8c2ce2ac3f23577281e2',
  'LatencyUtils-2.0.3.jar': 'a32a9ffa06b2f4e01c5360f8f9df7bc5d9454a5d373cd8f361347fa5a57165ec',
  'animal-sniffer-annotations-1.24.jar': 'c720e6e5bcbe6b2f48ded75a47bccdb763eede79d14330102e0d352e3d89ed92',
  'annotations-4.1.1.4.jar': 'ba734e1e84c09d615af6a09d33034b4f0442f8772dec120efb376d86a565ae15',
  'cron-utils-9.2.1.jar': '02af0e8b2fe93c9fa6eecf97b53b39faae14c5b996356edb132e9fe620013744',
  'error_prone_annotations-2.36.0.jar': '77440e270b0bc9a249903c5a076c36a722c4886ca4f42675f2903a1c53ed61a5',
  'failureaccess-1.0.3.jar': 'cbfc3906b19b8f55dd7cfd6dfe0aa4532e834250d7f080bd8d211a3e246b59cb',
  'grpc-api-1.76.0.jar': '13ce42c59871a04a7340f01e1dbd879fefa04811878cfd68864596321f555ed3',
  'grpc-context-1.76.0.jar': '3b4eb9ca65fe5cd98b2665f9b355158fac5a048708626b5b68dc66c43fb820d3',
  'grpc-core-1.76.0.jar': '00926861e7dcd9ce993a3ed3cb6f55b104c0a3ad0dad2cdde8680d1bcbd100b6',
  'grpc-inprocess-1.76.0.jar': 'cb1f0095ab7f2603508433554ec7bd9602bbe0e3340ade262c58e911cb8ccc63',
  'grpc-netty-shaded-1.76.0.jar': '196ef71498808fbd81555af0c5b00e0f6e8263d8e6d2bc115d36239088876328',
  'grpc-protobuf-1.76.0.jar': '52a004da0065d39601257ded13c40e0e4dfcf74db1c55a9bf7932a88fc384809',
  'grpc-protobuf-lite-1.76.0.jar': '5fb276bfc4974182888e11c1c0115d9d01cb970a39fc75c8c73695d3da13d878',
  'grpc-services-1.76.0.jar': '64ed014542d83664b401faed38d6b32cbd624234481c71a7277c777937c0e902',
  'grpc-stub-1.76.0.jar': 'e8d2fb3f6a75c8052c16173072111cb5140c8a0ad054a0c43188e0d1da162de6',
  'grpc-util-1.76.0.jar': 'f342c19c9dc3ac9235a0b5d564834b326b375831373d5a9f87b2b5362553b17e',
  'gson-2.10.1.jar': '4241c14a7727c34feea6507ec801318a3d4a90f070e4525681079fb94ee4c593',
  'guava-33.4.8-android.jar': 'a1f8a4bafe5a77232d333356843e194599b30837574a7f4be1063daaaaab102c',
  'j2objc-annotations-3.0.0.jar': '88241573467ddca44ffd4d74aa04c2bbfd11bf7c17e0c342c94c9de7a70a7c64',
  'jackson-annotations-2.15.4.jar': 'f204ebbd552614a22b8531ffe350d47f8fd42c45bb60517c07974dc27a5a1dd3',
  'jackson-core-2.15.4.jar': '8dc9210dd285db366f45f518dd1e6a9ccfeb0f1a8e184a899fe96d29edf1fd94',
  'jackson-databind-2.15.4.jar': '0f99ff7719eef3ee85608b3dee6ecf3c698003fe9d6e34eabbfabccdc9b5ac2c',
  'jackson-datatype-jdk8-2.15.4.jar': '3efb9d55b62f50e64b11fe00625800285fef8781736b80bd206677fb56040aac',
  'jackson-datatype-jsr310-2.15.4.jar': '472498cbba2726012ff82f86fc8feef9593663bda1a695a17db804a63fa733ff',
  'jspecify-1.0.0.jar': '1fad6e6be7557781e4d33729d49ae1cdc8fdda6fe477bb0cc68ce351eafdfbab',
  'jsr305-3.0.2.jar': '766ad2a0783f2687962c8ad74ceecc38a28b9f72a2d085ee438b7813e928d0c7',
  'listenablefuture-9999.0-empty-to-avoid-conflict-with-guava.jar':
    'b372a037d4230aa57fbeffdef30fd6123f9c0c2db85d0aced00c91b974f33f99',
  'micrometer-core-1.9.9.jar': 'ddec1c877a32dcf4f5e6cab5efc22707975d1d7e0fb780bcffe505384c52070c',
  'nexus-sdk-0.5.0-alpha.jar': '0619e8f4559b17bdc3610a4aeb9b961e414b3642ca15fcf1c9e3aed14b573175',
  'perfmark-api-0.27.0.jar': 'c7b478503ec524e55df19b424d46d27c8a68aeb801664fadd4f069b71f52d0f6',
  'proto-google-common-protos-2.59.2.jar': '9407f50aef5d1cb12675c170fa64ee216023eefca49f8f5eac45124f23a6cb29',
  'protobuf-java-3.25.8.jar': '72bdb32eb38cafb7dcd288262c29a34d57cba2e19101af9685155ba8c0a56008',
  'protobuf-java-util-3.25.8.jar': 'e7196eaefc3f81afa1571821635c7aefe2933f4be4a9df9e601fb59214b50269',
  'slf4j-api-1.7.36.jar': 'd3ef575e3e4979678dc01bf1dcce51021493b4d11fb7f1be8ad982877c16a1c0',
  'tally-core-0.13.0.jar': 'b3ccc572be36be91c47447c7778bc141a74591279cdb40224882e8ac8271b58b',
  'temporal-sdk-1.38.0.jar': '4d0ed300118b9dcc1251a5ab6ced503e3ca35ac8c95a4b47500b98fc20a645d0',
  'temporal-serviceclient-1.38.0.jar': '3a2b014541a0799fb182f3ae3b01ce0a5d706a70b57ee933ed4e702d7085e1c8',
  'temporal-test-server-1.38.0.jar': 'c6c813bbee46dcdc9df5a018fe6ed4caaf79b0c3c9511a3dd6275232a6d8538e',
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

/**
 * Returns this machine's platform and architecture as Temporal names them. Returns `undefined` if there are no official builds for
 * this machine.
 */
export function officialPlatform(): { readonly platform: string; readonly arch: string } | undefined {
  const platform = PLATFORMS[process.platform];
  const arch = ARCHITECTURES[process.arch];
  return platform === undefined || arch === undefined ? undefined : { platform, arch };
}

/** Returns the digest of the archive for this machine; `undefined` if it is not known. */
export function digestFor(digests: Digests): string | undefined {
  const machine = officialPlatform();
  return machine && digests[`${machine.platform} ${machine.arch}`];
}

/** Returns the SHA-256 of a file, in hexadecimal digits. */
export async function sha256Of(file: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(file), hash);
  return hash.digest('hex');
}

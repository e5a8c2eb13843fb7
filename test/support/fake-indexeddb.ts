/** Node has no IndexedDB: one in memory, for all tests of a file. */
import 'fake-indexeddb/auto'

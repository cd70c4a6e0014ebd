package benchwright.inside;

import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import javax.tools.ForwardingJavaFileManager;
import javax.tools.JavaFileObject;
import javax.tools.StandardJavaFileManager;
import javax.tools.StandardLocation;

/**
 * Lists the files of the platform and of the class path once for all pairs of a batch: these are read-only in the jail.
 *
 * What a pair's own compilation writes and reads is never kept.
 */
final class KnownFiles extends ForwardingJavaFileManager<StandardJavaFileManager> {
    private final Map<List<Object>, List<JavaFileObject>> listed = new HashMap<>();
    private final Map<JavaFileObject, String> names = new IdentityHashMap<>();

    KnownFiles(StandardJavaFileManager files) {
        super(files);
    }

    @Override
    public Iterable<JavaFileObject> list(
            Location location, String folder, Set<JavaFileObject.Kind> kinds, boolean recurse) throws IOException {
        if (!isFixed(location)) return super.list(location, folder, kinds, recurse);
        List<Object> key = List.of(location, folder, Set.copyOf(kinds), recurse);
        List<JavaFileObject> found = listed.get(key);
        if (found == null) {
            found = new ArrayList<>();
            for (JavaFileObject each : super.list(location, folder, kinds, recurse)) {
                found.add(each);
                names.put(each, super.inferBinaryName(location, each));
            }
            listed.put(key, found);
        }
        return found;
    }

    @Override
    public String inferBinaryName(Location location, JavaFileObject file) {
        String name = names.get(file);
        return name != null ? name : super.inferBinaryName(location, file);
    }

    private static boolean isFixed(Location location) {
        return location == StandardLocation.CLASS_PATH
                || location == StandardLocation.PLATFORM_CLASS_PATH
                || location.getName().startsWith("SYSTEM_MODULES[");
    }
}

package benchwright.inside;

import java.io.IOException;
import java.io.Writer;
import java.lang.module.ModuleFinder;
import java.lang.module.ModuleReader;
import java.lang.module.ModuleReference;
import java.lang.reflect.Modifier;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.jar.JarFile;
import java.util.stream.Collectors;

/** Lists the public types of the platform and of some jars: what an import with a star can bring. */
public final class Types {
    private static final String CLASS = ".class";

    private Types() {}

    /** argv: the file to write, one full name a line, then the jars. */
    public static void main(String[] arguments) throws IOException {
        Set<String> names = new TreeSet<>();
        for (ModuleReference module : ModuleFinder.ofSystem().findAll()) ofModule(module, names);
        for (String jar : List.of(arguments).subList(1, arguments.length)) ofJar(jar, names);
        try (Writer out = Files.newBufferedWriter(Path.of(arguments[0]), StandardCharsets.UTF_8)) {
            for (String name : names) out.write(name + "\n");
        }
    }

    private static void ofModule(ModuleReference module, Set<String> names) throws IOException {
        Set<String> exported = new HashSet<>();
        module.descriptor().exports().stream().filter(each -> !each.isQualified()).forEach(each -> exported.add(each.source()));
        try (ModuleReader reader = module.open()) {
            for (String path : reader.list().collect(Collectors.toList())) {
                String name = nameOf(path);
                if (exported.contains(packageOf(name))) addPublic(name, names);
            }
        }
    }

    private static void ofJar(String path, Set<String> names) throws IOException {
        try (JarFile jar = new JarFile(path)) {
            jar.stream().map(entry -> nameOf(entry.getName())).forEach(name -> addPublic(name, names));
        }
    }

    /** The binary name of a class that can have a name in a source, or "" for all other files. */
    private static String nameOf(String path) {
        boolean fits = path.endsWith(CLASS) && path.indexOf('-') < 0 && !path.matches(".*\\$\\d.*");
        return fits ? path.substring(0, path.length() - CLASS.length()).replace('/', '.') : "";
    }

    private static String packageOf(String name) {
        return name.substring(0, Math.max(0, name.lastIndexOf('.')));
    }

    /** A class that needs a library which is not there cannot be used, so it is left out. */
    private static void addPublic(String name, Set<String> names) {
        if (name.isEmpty()) return;
        try {
            Class<?> type = Class.forName(name, false, Types.class.getClassLoader());
            if (Modifier.isPublic(type.getModifiers())) names.add(name.replace('$', '.'));
        } catch (ClassNotFoundException | LinkageError error) {
            return;
        }
    }
}
